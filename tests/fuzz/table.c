/* SPDX-License-Identifier: MIT */
/*
 * packet_gate: the table of sources that it keeps between runs, with a hash that fits, and packets of those sources
 * afterwards. The input: u8 (1: of other patterns) · u32 clock · entries of 26 bytes each.
 */
#include "fuzz.h"

#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "gate.h"
#include "table_file.h"

enum { HEADER = 8 + PATTERNS_DIGEST + 4 + 8, ENTRY = 26, HASH = 32, MOST_ENTRIES = 64, PLACES = 16 };

static const struct patterns *some_patterns(void)
{
    static struct patterns *patterns;
    static const uint8_t *const data[] = {(const uint8_t *)"abcdef", (const uint8_t *)"bcd", (const uint8_t *)"xyzxyz"};
    static const size_t sizes[] = {6, 3, 6};
    if (!patterns)
        patterns = patterns_new(data, sizes, 3);
    fuzz_check(patterns);
    return patterns;
}

static void put(uint8_t *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

/* Returns its bytes. */
static size_t make_file(struct tape *tape, const uint8_t digest[PATTERNS_DIGEST],
                        uint8_t out[HEADER + MOST_ENTRIES * ENTRY + HASH], size_t *count)
{
    const unsigned others = tape_byte(tape) & 1;
    const uint32_t clock = (uint32_t)tape_number(tape, 4);
    const uint8_t *entries;
    size_t bytes = tape_take(tape, (size_t)MOST_ENTRIES * ENTRY, &entries);
    *count = bytes / ENTRY;
    bytes = *count * ENTRY;
    memcpy(out, "PGTABLE1", 8);
    memcpy(out + 8, digest, PATTERNS_DIGEST);
    out[8] ^= (uint8_t)others;
    put(out + 8 + PATTERNS_DIGEST, clock, 4);
    put(out + 8 + PATTERNS_DIGEST + 4, *count, 8);
    memcpy(out + HEADER, entries, bytes);
    (void)crypto_generichash(out + HEADER + bytes, HASH, out, HEADER + bytes, NULL, 0);
    return HEADER + bytes + HASH;
}

static void packets_of(struct gate *gate, const uint8_t *entries, size_t count)
{
    static const uint8_t payload[] = "efabcdexyzabcdefbcd";
    struct packet packet = {.payload = payload, .size = sizeof payload - 1};
    for (size_t i = 0; i < count; i++) {
        memcpy(packet.source.bytes, entries + i * ENTRY, ADDRESS_BYTES);
        struct judged judged = gate_packet(gate, &packet);
        enum verdict verdict = gate_verdict(gate, &packet.source);
        fuzz_check(judged.served == SERVED || verdict == VERDICT_BAD);
        fuzz_plant(judged.strikes > 70, judged.strikes == 77);
    }
}

static const struct gate *empty_gate(void)
{
    static struct gate gate;
    const struct gate_options options = {.good = "counting:n=64,fpr=0.01",
                                         .bad = "bloom:n=64,fpr=0.01",
                                         .places = PLACES,
                                         .strikes = 100,
                                         .patterns = some_patterns(),
                                         .seeded = 1,
                                         .seed = 1};
    if (!gate.sources)
        fuzz_check(!gate_open(&gate, &options));
    return &gate;
}

/* A copy of it, as planning filters takes longer than all else. */
static struct gate new_gate(void)
{
    static const uint8_t key[16] = "fuzz";
    const struct gate *empty = empty_gate();
    struct gate gate = *empty;
    gate.sources = sources_new(PLACES, key);
    fuzz_check(gate.sources && uf_copy(empty->good.filter, NULL, &gate.good.filter, NULL) == UF_OK &&
               uf_copy(empty->bad.filter, NULL, &gate.bad.filter, NULL) == UF_OK);
    return gate;
}

int fuzz_table(const uint8_t *data, size_t size)
{
    static uint8_t file[HEADER + MOST_ENTRIES * ENTRY + HASH];
    struct tape tape = {data, size};
    uint8_t digest[PATTERNS_DIGEST];
    struct gate gate = new_gate();
    size_t count;
    patterns_digest(gate.patterns, digest);
    size_t bytes = make_file(&tape, digest, file, &count);
    if (!table_load(&gate, digest, fuzz_file(file, bytes)))
        packets_of(&gate, file + HEADER, count);
    gate_close(&gate);
    return 0;
}
