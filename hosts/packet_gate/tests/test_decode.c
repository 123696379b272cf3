/* SPDX-License-Identifier: MIT */
/*
 * hosts/packet_gate/decode: what frames.c packs is unpacked again, for every link type; frames made by hand for what
 * it does not make; and frames that are cut or altered, which must never lead outside of their bytes. Frames are
 * copied to memory of their exact size, so that the address sanitizer sees a byte too far.
 */
#include <pcap/pcap.h>

#include "check.h"
#include "decode.h"
#include "rng.h"
#include "frames.h"

enum { PAYLOAD = 61 };

struct heard {
    enum link_form form;
    uint8_t payload[PAYLOAD];
    size_t size;
    struct address source;
    int frames, fragments;
};

static int link_of(enum link_form form)
{
    static const int links[LINK_FORMS] = {DLT_EN10MB, DLT_EN10MB, DLT_RAW, DLT_LINUX_SLL, DLT_LINUX_SLL2, DLT_NULL};
    return links[form];
}

/* Decodes a copy that ends where the frame ends, and checks that the payload is inside. */
static enum decoded decode_copy(int link, const uint8_t *frame, size_t captured, size_t wire, struct packet *out,
                                uint8_t *payload)
{
    uint8_t *copy = malloc(captured ? captured : 1);
    assert_non_null(copy);
    memcpy(copy, frame, captured);
    enum decoded status = decode_frame(link, copy, captured, wire, out);
    if (status == DECODED) {
        assert_true(out->payload >= copy && out->payload + out->size <= copy + captured);
        assert_true(out->size + out->missing <= wire);
        if (payload)
            memcpy(payload, out->payload, out->size);
    }
    free(copy);
    return status;
}

static int hear(void *arg, const uint8_t *frame, size_t size)
{
    struct heard *heard = arg;
    struct packet packet;
    uint8_t payload[2048];
    assert_int_equal(decode_copy(link_of(heard->form), frame, size, size, &packet, payload), DECODED);
    assert_int_equal(packet.missing, 0);
    assert_true(heard->size + packet.size <= PAYLOAD);
    memcpy(heard->payload + heard->size, payload, packet.size);
    heard->size += packet.size;
    heard->source = packet.source;
    heard->frames++;
    heard->fragments += packet.fragment;
    return 0;
}

static const char *const sources[] = {"198.51.100.7", "2001:db8::77"};

/* Number `which` of all combinations but the link type. */
static struct datagram make_datagram(unsigned which, const uint8_t *payload)
{
    static const size_t pieces[] = {0, 24, 40};
    struct datagram datagram = {.transport = which & 1 ? TRANSPORT_TCP : TRANSPORT_UDP, .payload = payload, .id = 99};
    assert_int_equal(address_parse(sources[which >> 1 & 1], &datagram.source), 0);
    datagram.fragment = pieces[(which >> 2) % 3];
    datagram.size = which < 24 ? (which < 12 ? 0 : 3) : PAYLOAD;
    return datagram;
}

enum { COMBINATIONS = 36 };

static void test_round_trip(void **unused)
{
    uint8_t payload[PAYLOAD];
    (void)unused;
    for (int i = 0; i < PAYLOAD; i++)
        payload[i] = (uint8_t)(200 + i);
    for (int form = 0; form < LINK_FORMS; form++)
        for (unsigned which = 0; which < COMBINATIONS; which++) {
            const struct datagram datagram = make_datagram(which, payload);
            struct heard heard = {.form = (enum link_form)form};
            assert_int_equal(frames_write(heard.form, &datagram, hear, &heard), 0);
            assert_int_equal(heard.frames, frames_count(&datagram));
            assert_int_equal(heard.fragments, heard.frames > 1 ? heard.frames : 0);
            assert_int_equal(heard.size, datagram.size);
            assert_memory_equal(heard.payload, payload, heard.size);
            assert_memory_equal(&heard.source, &datagram.source, sizeof datagram.source);
        }
}

/* ---- cut and altered ---- */

struct mishap {
    int link;
    uint64_t random;
    uint64_t seen[4]; /* by enum decoded */
};

/* Cut by the snap length: what is there is right, and the rest is known to be missing. */
static int cut_short(void *arg, const uint8_t *frame, size_t size)
{
    struct mishap *mishap = arg;
    struct packet whole, packet;
    assert_int_equal(decode_copy(mishap->link, frame, size, size, &whole, NULL), DECODED);
    for (size_t captured = 0; captured < size; captured++) {
        enum decoded status = decode_copy(mishap->link, frame, captured, size, &packet, NULL);
        assert_true(status == DECODED || status == DECODED_CUT);
        if (status == DECODED)
            assert_int_equal(packet.size + packet.missing, whole.size);
        mishap->seen[status]++;
    }
    return 0;
}

/* Cut before it was sent: the lengths inside no longer fit, unless it was padding that is gone. */
static int cut_on_the_wire(void *arg, const uint8_t *frame, size_t size)
{
    struct mishap *mishap = arg;
    struct packet packet;
    for (size_t wire = 0; wire < size; wire++) {
        enum decoded status = decode_copy(mishap->link, frame, wire, wire, &packet, NULL);
        assert_true(status != DECODED_CUT);
        mishap->seen[status]++;
    }
    return 0;
}

static int alter(void *arg, const uint8_t *frame, size_t size)
{
    struct mishap *mishap = arg;
    struct packet packet;
    uint8_t altered[2048];
    for (int round = 0; round < 200; round++) {
        memcpy(altered, frame, size);
        for (uint32_t change = 0; change <= rng_below(&mishap->random, 4); change++)
            altered[rng_below(&mishap->random, size)] = (uint8_t)rng_next(&mishap->random);
        size_t captured = rng_below(&mishap->random, 4) ? size : rng_below(&mishap->random, size + 1);
        size_t wire = captured + rng_below(&mishap->random, 4) * 7;
        mishap->seen[decode_copy(mishap->link, altered, captured, wire, &packet, NULL)]++;
    }
    return 0;
}

static struct mishap suffer(frame_sink *what)
{
    uint8_t payload[PAYLOAD] = {0};
    struct mishap mishap = {.random = 7};
    for (int form = 0; form < LINK_FORMS; form++)
        for (unsigned which = 0; which < COMBINATIONS; which++) {
            const struct datagram datagram = make_datagram(which, payload);
            mishap.link = link_of((enum link_form)form);
            assert_int_equal(frames_write((enum link_form)form, &datagram, what, &mishap), 0);
        }
    return mishap;
}

static void test_mishaps(void **unused)
{
    (void)unused;
    struct mishap mishap = suffer(cut_short);
    assert_true(mishap.seen[DECODED] > 1000 && mishap.seen[DECODED_CUT] > 1000);
    mishap = suffer(cut_on_the_wire);
    assert_true(mishap.seen[DECODED_MALFORMED] > 1000);
    mishap = suffer(alter);
    for (int status = 0; status < 4; status++)
        assert_that(mishap.seen[status] > 100, "no frame was altered into one of status %d", status);
}

static void test_noise(void **unused)
{
    static const int links[] = {DLT_EN10MB,    DLT_RAW,        DLT_IPV4, DLT_IPV6,
                                DLT_LINUX_SLL, DLT_LINUX_SLL2, DLT_NULL, DLT_LOOP};
    uint64_t random = 3;
    (void)unused;
    for (int round = 0; round < 100000; round++) {
        uint8_t frame[96];
        struct packet packet;
        for (size_t i = 0; i < sizeof frame; i++)
            frame[i] = (uint8_t)rng_next(&random);
        size_t captured = rng_below(&random, sizeof frame + 1);
        (void)decode_copy(links[rng_below(&random, 8)], frame, captured, captured + rng_below(&random, 3), &packet,
                          NULL);
    }
}

/* ---- by hand ---- */

/* Hex digits, blanks between them as wished. */
static size_t unhex(const char *text, uint8_t *out)
{
    size_t size = 0;
    for (unsigned value; *text; text += 2) {
        while (*text == ' ')
            text++;
        assert_int_equal(sscanf(text, "%2x", &value), 1);
        out[size++] = (uint8_t)value;
    }
    return size;
}

#define CARDS "020000000001 020000000002 "
#define UDP4 "4500001f 00010000 40110000 0a000001 c0000201 " /* to 3 bytes of payload */
#define UDP4_REST "9c401151000b0000 aabbcc"

static const struct {
    const char *what;
    int link;
    const char *frame;
    enum decoded status;
    const char *source, *payload;
} by_hand[] = {
    {"plain", DLT_EN10MB, CARDS "0800" UDP4 UDP4_REST, DECODED, "10.0.0.1", "aabbcc"},
    {"padded", DLT_EN10MB, CARDS "0800" UDP4 UDP4_REST "0000000000", DECODED, "10.0.0.1", "aabbcc"},
    {"three VLAN tags", DLT_EN10MB, CARDS "9100 0001 88a8 0002 8100 0003 0800" UDP4 UDP4_REST, DECODED, "10.0.0.1",
     "aabbcc"},
    {"a tag without an end", DLT_EN10MB, CARDS "8100 00", DECODED_MALFORMED, NULL, NULL},
    {"802.3", DLT_EN10MB, CARDS "0026 424203", DECODED_OTHER, NULL, NULL},
    {"LOOP in network order", DLT_LOOP, "00000002" UDP4 UDP4_REST, DECODED, "10.0.0.1", "aabbcc"},
    {"NULL in the other order", DLT_NULL, "02000000" UDP4 UDP4_REST, DECODED, "10.0.0.1", "aabbcc"},
    {"NULL, a family of its own", DLT_NULL, "17000000" UDP4 UDP4_REST, DECODED_OTHER, NULL, NULL},
    {"IP version 5", DLT_RAW, "5500001f", DECODED_MALFORMED, NULL, NULL},
    {"IPv6 in a frame of IPv4", DLT_EN10MB, CARDS "0800 6500001f 00010000 40110000 0a000001 c0000201 00",
     DECODED_MALFORMED, NULL, NULL},
    {"IP options", DLT_RAW, "46000023 00010000 40110000 0a000001 c0000201 01010101" UDP4_REST, DECODED, "10.0.0.1",
     "aabbcc"},
    {"a header of four words", DLT_RAW, "4400001f 00010000 40110000 0a000001 c0000201" UDP4_REST, DECODED_MALFORMED,
     NULL, NULL},
    {"shorter than its header", DLT_RAW, "45000013 00010000 40110000 0a000001 c0000201" UDP4_REST, DECODED_MALFORMED,
     NULL, NULL},
    {"longer than its frame", DLT_RAW, "4500ffff 00010000 40110000 0a000001 c0000201" UDP4_REST, DECODED_MALFORMED,
     NULL, NULL},
    {"no length: cut by the card", DLT_RAW, "45000000 00010000 40110000 0a000001 c0000201" UDP4_REST, DECODED,
     "10.0.0.1", "aabbcc"},
    {"UDP longer than IP", DLT_RAW, UDP4 "9c401151000c0000 aabbcc", DECODED_MALFORMED, NULL, NULL},
    {"UDP shorter than IP", DLT_RAW, UDP4 "9c401151000a0000 aabbcc", DECODED, "10.0.0.1", "aabb"},
    {"UDP shorter than itself", DLT_RAW, UDP4 "9c40115100070000 aabbcc", DECODED_MALFORMED, NULL, NULL},
    {"TCP options", DLT_RAW,
     "4500002f 00010000 40060000 0a000001 c0000201 9c401151 00000000 00000000 60180000 00000000 01010101 aabbcc",
     DECODED, "10.0.0.1", "aabbcc"},
    {"TCP of four words", DLT_RAW,
     "4500002b 00010000 40060000 0a000001 c0000201 9c401151 00000000 00000000 40180000 00000000 aabbcc",
     DECODED_MALFORMED, NULL, NULL},
    {"TCP options past the end", DLT_RAW,
     "4500002b 00010000 40060000 0a000001 c0000201 9c401151 00000000 00000000 f0180000 00000000 aabbcc",
     DECODED_MALFORMED, NULL, NULL},
    {"ICMP: all is payload", DLT_RAW, "45000018 00010000 40010000 0a000001 c0000201 08001234", DECODED, "10.0.0.1",
     "08001234"},
    {"a later fragment of TCP: all is payload", DLT_RAW, "45000017 00010004 40060000 0a000001 c0000201 aabbcc", DECODED,
     "10.0.0.1", "aabbcc"},
    {"a first fragment that ends inside the TCP header", DLT_RAW,
     "4500001c 00012000 40060000 0a000001 c0000201 9c40115100000000", DECODED_MALFORMED, NULL, NULL},
    {"IPv6: hops, routing, options, then UDP", DLT_RAW,
     "60000000 0023 0040 20010db8000000000000000000000001 20010db8000000000000000000000002"
     "2b00000000000000 3c00000000000000 1100000000000000 " UDP4_REST,
     DECODED, "2001:db8::1", "aabbcc"},
    {"IPv6: authenticated", DLT_RAW,
     "60000000 001b 3340 20010db8000000000000000000000001 20010db8000000000000000000000002"
     "1102000000000000 0000000000000000" UDP4_REST,
     DECODED, "2001:db8::1", "aabbcc"},
    {"IPv6: nothing follows", DLT_RAW,
     "60000000 0003 3b40 20010db8000000000000000000000001 20010db8000000000000000000000002 aabbcc", DECODED,
     "2001:db8::1", ""},
    {"IPv6: an extension past the end", DLT_RAW,
     "60000000 0008 0040 20010db8000000000000000000000001 20010db8000000000000000000000002 11ff000000000000",
     DECODED_MALFORMED, NULL, NULL},
    {"IPv6 longer than its frame", DLT_RAW,
     "60000000 0004 3b40 20010db8000000000000000000000001 20010db8000000000000000000000002 aabbcc", DECODED_MALFORMED,
     NULL, NULL},
    {"nothing at all", DLT_RAW, "", DECODED_MALFORMED, NULL, NULL},
};

static void test_by_hand(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof by_hand / sizeof by_hand[0]; i++) {
        uint8_t frame[256], payload[256], want[256];
        struct packet packet = {.size = 0};
        size_t size = unhex(by_hand[i].frame, frame);
        enum decoded status = decode_copy(by_hand[i].link, frame, size, size, &packet, payload);
        assert_that(status == by_hand[i].status, "%s: status %d and not %d", by_hand[i].what, status,
                    by_hand[i].status);
        if (status != DECODED)
            continue;
        assert_string_equal(address_print(&packet.source).text, by_hand[i].source);
        size = unhex(by_hand[i].payload, want);
        assert_that(size == packet.size && !memcmp(want, payload, size), "%s: another payload", by_hand[i].what);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip),
        cmocka_unit_test(test_mishaps),
        cmocka_unit_test(test_noise),
        cmocka_unit_test(test_by_hand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
