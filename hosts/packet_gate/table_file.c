/* SPDX-License-Identifier: MIT */
#include "table_file.h"

#include <errno.h>
#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "message.h"

enum { MAGIC = 8, HEADER = MAGIC + PATTERNS_DIGEST + 4 + 8, ENTRY = ADDRESS_BYTES + 4 + 4 + 1 + 1, HASH = 32 };

static const uint8_t magic[MAGIC] = {'P', 'G', 'T', 'A', 'B', 'L', 'E', '1'};

static void put_number(uint8_t *to, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        to[i] = (uint8_t)(value >> 8 * i);
}

static uint64_t get_number(const uint8_t *from, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)from[i] << 8 * i;
    return value;
}

/* ---- saving ---- */

/* A file, and the hash of what went into it. Failures are seen when it is closed. */
struct stream {
    FILE *file;
    crypto_generichash_state hash;
};

static void put(struct stream *stream, const uint8_t *bytes, size_t size)
{
    (void)crypto_generichash_update(&stream->hash, bytes, size);
    (void)fwrite(bytes, 1, size, stream->file);
}

static void put_entry(struct stream *stream, const struct source *source)
{
    uint8_t entry[ENTRY];
    memcpy(entry, source->address.bytes, ADDRESS_BYTES);
    put_number(entry + 16, source->state, 4);
    put_number(entry + 20, source->seen, 4);
    entry[24] = source->strikes;
    entry[25] = source->owned;
    put(stream, entry, sizeof entry);
}

static void put_table(struct stream *stream, const struct gate *gate, const uint8_t digest[PATTERNS_DIGEST])
{
    uint8_t header[HEADER], hash[HASH];
    const struct source *source;
    size_t at = 0;
    memcpy(header, magic, MAGIC);
    memcpy(header + MAGIC, digest, PATTERNS_DIGEST);
    put_number(header + MAGIC + PATTERNS_DIGEST, gate->clock, 4);
    put_number(header + MAGIC + PATTERNS_DIGEST + 4, sources_counted(gate->sources).kept, 8);
    (void)crypto_generichash_init(&stream->hash, NULL, 0, HASH);
    put(stream, header, sizeof header);
    while ((source = sources_next(gate->sources, &at)))
        put_entry(stream, source);
    (void)crypto_generichash_final(&stream->hash, hash, HASH);
    (void)fwrite(hash, 1, HASH, stream->file);
}

int table_save(const struct gate *gate, const uint8_t digest[PATTERNS_DIGEST], const char *path)
{
    char beside[4096 + 8];
    (void)snprintf(beside, sizeof beside, "%s.~0", path);
    struct stream stream = {.file = fopen(beside, "wb")};
    if (!stream.file)
        return print_error("%s: cannot write the table of sources: %s", beside, strerror(errno));
    put_table(&stream, gate, digest);
    int failed = fflush(stream.file) || ferror(stream.file) || fsync(fileno(stream.file));
    int why = errno;
    if (fclose(stream.file) && !failed) {
        failed = 1;
        why = errno;
    }
    if (!failed && !rename(beside, path))
        return EXIT_FINE;
    why = failed ? why : errno;
    (void)unlink(beside);
    return print_error("%s: cannot write the table of sources: %s", path, strerror(why));
}

/* ---- loading ---- */

static uint32_t state_of(const uint8_t entry[ENTRY])
{
    return (uint32_t)get_number(entry + 16, 4);
}

/* The hash tells damage, and nothing of who wrote the file: a state that the automaton does not have would lead it
 * anywhere. */
static int has_state(const struct gate *gate, const uint8_t entry[ENTRY])
{
    return gate->patterns ? patterns_has_state(gate->patterns, state_of(entry)) : !state_of(entry);
}

/* Checks the whole file before anything of it is used. Leaves the file at its first entry. *same: its states are those
 * of the gate's patterns. */
static int check_file(const struct gate *gate, const uint8_t digest[PATTERNS_DIGEST], FILE *file,
                      uint8_t header[HEADER], uint64_t *count, int *same)
{
    uint8_t piece[ENTRY], want[HASH], have[HASH];
    crypto_generichash_state hash;
    (void)crypto_generichash_init(&hash, NULL, 0, HASH);
    if (fread(header, 1, HEADER, file) != HEADER || memcmp(header, magic, MAGIC) != 0)
        return -1;
    (void)crypto_generichash_update(&hash, header, HEADER);
    *count = get_number(header + HEADER - 8, 8);
    *same = !memcmp(header + MAGIC, digest, PATTERNS_DIGEST);
    for (uint64_t i = 0; i < *count; i++) {
        if (fread(piece, 1, ENTRY, file) != ENTRY || (*same && !has_state(gate, piece)))
            return -1;
        (void)crypto_generichash_update(&hash, piece, ENTRY);
    }
    (void)crypto_generichash_final(&hash, have, HASH);
    if (fread(want, 1, HASH, file) != HASH || getc(file) != EOF || sodium_memcmp(want, have, HASH))
        return -1;
    return fseek(file, HEADER, SEEK_SET);
}

static void keep_entry(struct gate *gate, const uint8_t entry[ENTRY], int same_patterns)
{
    struct source source = {.state = same_patterns ? state_of(entry) : 0,
                            .seen = (uint32_t)get_number(entry + 20, 4),
                            .strikes = entry[24],
                            .owned = gate->good.loaded && entry[25]};
    memcpy(source.address.bytes, entry, ADDRESS_BYTES);
    const struct sources_home home = sources_home(gate->sources, &source.address);
    sources_keep(gate->sources, &home, &source);
}

static int read_table(struct gate *gate, const uint8_t digest[PATTERNS_DIGEST], FILE *file)
{
    uint8_t header[HEADER], entry[ENTRY];
    uint64_t count;
    int same;
    if (check_file(gate, digest, file, header, &count, &same))
        return -1;
    gate->clock = (uint32_t)get_number(header + MAGIC + PATTERNS_DIGEST, 4);
    for (uint64_t i = 0; i < count; i++) {
        if (fread(entry, 1, ENTRY, file) != ENTRY)
            return -1;
        keep_entry(gate, entry, same);
    }
    return 0;
}

int table_load(struct gate *gate, const uint8_t digest[PATTERNS_DIGEST], const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file && errno == ENOENT)
        return EXIT_FINE;
    if (!file)
        return print_error("%s: cannot open the table of sources: %s", path, strerror(errno));
    int status = read_table(gate, digest, file);
    (void)fclose(file);
    if (!status)
        return EXIT_FINE;
    return print_error(
        "%s: the table of sources is damaged; remove it to go on without strikes and unfinished sequences", path);
}
