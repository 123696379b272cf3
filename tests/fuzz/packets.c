/* SPDX-License-Identifier: MIT */
/*
 * packet_gate: frames of every link type, captures, packets as lines, and lists of addresses. The input: u8 which of
 * them · for frames u16 bytes that were sent and not captured · the bytes.
 */
#include "fuzz.h"

#include <pcap/pcap.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "decode.h"
#include "list.h"
#include "packets.h"

enum { LINKS = 8, FROM_LINES = LINKS, FROM_CAPTURE, FROM_LIST, SOURCES };

static void frame(int link, struct tape *tape)
{
    const size_t lost = (size_t)tape_number(tape, 2), size = tape->left;
    uint8_t *bytes = malloc(size ? size : 1); /* of exactly its size */
    struct packet packet = {.size = 0};
    fuzz_check(bytes);
    memcpy(bytes, tape->at, size);
    fuzz_check(decode_knows(link));
    if (decode_frame(link, bytes, size, size + lost, &packet) == DECODED) {
        fuzz_check(packet.payload >= bytes && packet.size <= size &&
                   (size_t)(packet.payload - bytes) <= size - packet.size && packet.missing <= lost);
        fuzz_plant(link == DLT_LINUX_SLL2, packet.fragment);
    }
    free(bytes);
}

static void all_of(struct packets *packets)
{
    struct packet packet;
    enum decoded decoded;
    uint64_t count = 0, sum = 0;
    if (!packets)
        return;
    while (packets_next(packets, &packet, &decoded) == PACKETS_ONE) {
        count++;
        for (size_t i = 0; decoded == DECODED && i < packet.size; i++)
            sum += packet.payload[i];
    }
    fuzz_check(packets_counted(packets).read == count && sum <= 255 * packets_counted(packets).bytes);
    packets_close(packets);
    (void)signal(SIGINT, SIG_DFL); /* which a gate catches */
    (void)signal(SIGTERM, SIG_DFL);
}

/* What is printed is read as the same address. */
static int same_again(void *arg, const struct address *address, const char *word)
{
    struct address again;
    (void)arg;
    (void)word;
    struct address_text text = address_print(address);
    fuzz_check(!address_parse(text.text, &again) && !memcmp(&again, address, sizeof again));
    return 0;
}

int fuzz_packets(const uint8_t *data, size_t size)
{
    static const int links[LINKS] = {DLT_EN10MB,    DLT_RAW,        DLT_IPV4, DLT_IPV6,
                                     DLT_LINUX_SLL, DLT_LINUX_SLL2, DLT_NULL, DLT_LOOP};
    const struct packets_limits none = {0, 0};
    struct tape tape = {data, size};
    const unsigned from = tape_byte(&tape) % SOURCES;
    if (from == FROM_LINES)
        all_of(packets_open_lines(fuzz_file(tape.at, tape.left), none));
    else if (from == FROM_CAPTURE)
        all_of(packets_open_file(fuzz_file(tape.at, tape.left), none));
    else if (from == FROM_LIST)
        (void)list_read(fuzz_file(tape.at, tape.left), "the list", same_again, NULL);
    else
        frame(links[from], &tape);
    return 0;
}
