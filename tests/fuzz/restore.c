/* SPDX-License-Identifier: MIT */
/*
 * The module of Redis: what RESTORE, RDB files, BF.LOADCHUNK and UF.LOAD read, with checksums that fit. The input:
 *
 *     u8 how it comes · u8 bytes of a piece, in units of 64, 0 for all at once · u8 filters there should be · 7 figures
 *     of u64 (image.h) · of each filter u16 bytes, and so many of a file (sealed.h)
 *
 * A value that loads is asked, changed, saved, and loaded again.
 */
#include "sealed.h"

#include <stdlib.h>
#include <string.h>

#include "chunks.h"
#include "image.h"
#include "items.h"
#include "standin.h"
#include "type.h"

enum { FROM_RDB, FROM_CHUNKS, FROM_FILE, WAYS, ODD_START = 4, MOST_FILTERS = 3, MOST_FILTER = 1 << 12, UNIT = 64 };

/* What came, and the most memory that one block may take. */
struct dump {
    unsigned char first[IMAGE_FIRST];
    unsigned char *rest; /* owned */
    size_t bytes;
};

static size_t most_block;

static void *take(size_t bytes)
{
    fuzz_check(bytes <= most_block);
    return malloc(bytes);
}

static void start(void)
{
    static int started;
    if (started)
        return;
    started = 1;
    standin_start();
    RedisModule_TryAlloc = take;
}

/* ---- making a dump ---- */

static void read_first(struct tape *tape, unsigned how, unsigned char first[IMAGE_FIRST])
{
    memset(first, 0, IMAGE_FIRST);
    memcpy(first, "UFR1", IMAGE_MAGIC);
    first[IMAGE_MAGIC] = (unsigned char)tape_byte(tape);
    first[IMAGE_MAGIC + 1] = how & ODD_START ? 1 : 0;
    for (int i = 0; i < FIGURES; i++)
        sealed_put(first + IMAGE_START + 8 * i, tape_number(tape, 8), 8);
}

static void add_filter(struct tape *tape, struct dump *dump)
{
    struct tape own = {NULL, 0};
    own.left = tape_take(tape, (size_t)tape_number(tape, 2) % MOST_FILTER, &own.at);
    struct sealed file = sealed_filter(&own, 0);
    dump->rest = realloc(dump->rest, dump->bytes + file.size);
    fuzz_check(dump->rest);
    memcpy(dump->rest + dump->bytes, file.data, file.size);
    dump->bytes += file.size;
    free(file.data);
}

static struct dump read_dump(struct tape *tape, unsigned how)
{
    struct dump dump = {.rest = NULL};
    read_first(tape, how, dump.first);
    for (unsigned i = 0; tape->left && i < MOST_FILTERS; i++)
        add_filter(tape, &dump);
    return dump;
}

/* ---- loading it ---- */

static void load_rdb(const struct dump *dump, size_t step)
{
    RedisModuleIO io = {.bytes = NULL};
    RedisModule_SaveStringBuffer(&io, (const char *)dump->first, IMAGE_FIRST);
    for (size_t at = 0; at < dump->bytes; at += step)
        RedisModule_SaveStringBuffer(&io, (const char *)dump->rest + at,
                                     dump->bytes - at < step ? dump->bytes - at : step);
    RedisModule_SaveStringBuffer(&io, "", 0);
    standin_value = type_load(&io, TYPE_VERSION);
    standin_free(&io);
}

static void load_pieces(const struct dump *dump, size_t step, int as_file)
{
    int taken = as_file || standin_call(command_bf_loadchunk, 1, dump->first, IMAGE_FIRST);
    for (size_t at = 0; taken && at < dump->bytes && !standin_value; at += step) {
        const size_t bytes = dump->bytes - at < step ? dump->bytes - at : step;
        taken = as_file ? standin_call(command_uf_load, (long long)at, dump->rest + at, bytes)
                        : standin_call(command_bf_loadchunk, (long long)(at + bytes) + 1, dump->rest + at, bytes);
    }
    standin_forget();
}

/* ---- using it ---- */

static void use(struct value *value)
{
    const uf_digest digest = {{1, 2, 3}};
    uint8_t answer = 0;
    (void)value_memory(value);
    (void)value_capacity(value);
    for (size_t i = 0; i < FUZZ_KEYS; i += 4)
        (void)uf_query(value->filter[0], fuzz_keys()[i]);
    int status = items_apply(value, &digest, 1, NULL);
    if (status == UF_OK && items_query_digests(value, &digest, 1, &answer, NULL) == UF_OK)
        fuzz_check(answer);
    (void)items_unapply(value, &digest, 1, NULL);
}

static void save_and_load(struct value *value)
{
    RedisModuleIO io = {.bytes = NULL};
    type_save(&io, value);
    struct value *again = type_load(&io, TYPE_VERSION);
    fuzz_check(again && again->levels == value->levels);
    fuzz_check(!memcmp(again->figures, value->figures, sizeof value->figures));
    value_release(again);
    standin_free(&io);
}

int fuzz_restore(const uint8_t *data, size_t size)
{
    struct tape tape = {data, size};
    const unsigned how = tape_byte(&tape), units = tape_byte(&tape);
    start();
    struct dump dump = read_dump(&tape, how);
    const size_t step = units ? units * (size_t)UNIT : dump.bytes + 1;
    most_block = 16 * dump.bytes + (1 << 17);
    if (how % ODD_START % WAYS == FROM_RDB)
        load_rdb(&dump, step);
    else
        load_pieces(&dump, step, how % ODD_START % WAYS == FROM_FILE);
    if (standin_value) {
        struct value *value = standin_value;
        fuzz_plant(value->figures[FIGURE_BUCKET] > 1000, value->figures[FIGURE_EXPANSION] > UINT32_MAX);
        use(value);
        save_and_load(value);
    }
    standin_flush();
    free(dump.rest);
    return 0;
}

fuzz_head_of fuzz_restore_head;
size_t fuzz_restore_head(const uint8_t *data, size_t size)
{
    return sealed_head(data, size, 2 + 1 + 8 * FIGURES + 2);
}
