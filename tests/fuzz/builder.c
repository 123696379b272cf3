/* SPDX-License-Identifier: MIT */
/*
 * Builders as bytes (uf_builder_read), with checksums that fit. The input: u8 which builder · edits of its bytes, u16
 * where and u8 the new value · and where they end, u16 bytes to cut off.
 */
#define UF_EXPERIMENTAL
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "wire.h"

enum { SUMMED = 720, HEAD = SUMMED + 8, MOST_BYTES = 1 << 14, MEGABYTE = 1 << 20, FORM_AT = 12, SPEC_AT = 208 };

struct bytes {
    unsigned char data[MOST_BYTES];
    size_t size;
};

static const char *const specs[] = {"bloom:n=20,fpr=0.01,seed=0x1",         "ribbon:fpr=0.01,seed=0x2",
                                    "keyed(blocked:n=20,fpr=0.1,seed=0x3)", "counting:n=20,fpr=0.1,seed=0x4",
                                    "dpset:n=20,epsilon=3,seed=0x5",        "bloom:fpr=0.01,seed=0x6"};

enum { SPECS = sizeof specs / sizeof specs[0] };

static int collect(void *arg, const void *data, size_t bytes)
{
    struct bytes *out = arg;
    fuzz_check(bytes <= sizeof out->data - out->size);
    memcpy(out->data + out->size, data, bytes);
    out->size += bytes;
    return 0;
}

/* Of each spec one builder, with all of the keys. */
static const struct bytes *written(unsigned index)
{
    static struct bytes all[SPECS];
    struct bytes *one = &all[index];
    uf_context ctx = UF_CONTEXT_INIT;
    uf_builder *builder;
    uf_spec spec;
    if (one->size)
        return one;
    ctx.secret = fuzz_secret();
    fuzz_check(uf_spec_parse(specs[index], &spec, NULL) == UF_OK);
    fuzz_check(uf_builder_new(&spec, &ctx, &builder, NULL) == UF_OK);
    fuzz_check(uf_builder_add(builder, fuzz_keys(), FUZZ_KEYS, NULL) == UF_OK);
    fuzz_check(uf_builder_write(builder, collect, one, NULL) == UF_OK);
    uf_builder_free(builder);
    return one;
}

/* The header's, and that of the one piece of hashes that there is. A filter inside has its own: filter.c looks there.
 */
static void seal(struct bytes *bytes)
{
    if (bytes->size < HEAD)
        return;
    struct writer head = {bytes->data + SUMMED, 8, 0};
    write_uint(&head, checksum(bytes->data, SUMMED, 0), 8);
    if (bytes->data[FORM_AT] != 1 || bytes->size < HEAD + 8)
        return;
    const size_t piece = bytes->size - HEAD - 8;
    struct writer end = {bytes->data + HEAD + piece, 8, 0};
    write_uint(&end, checksum(bytes->data + HEAD, piece, 1), 8);
}

static void finish(uf_builder *builder)
{
    uf_filter *filter = NULL;
    uf_spec spec;
    fuzz_check(uf_builder_get_spec(builder, &spec) == UF_OK);
    (void)uf_builder_add(builder, fuzz_keys(), 3, NULL);
    if (uf_builder_finish(builder, &filter, NULL) == UF_OK)
        fuzz_check(uf_query(filter, fuzz_keys()[0]) >= 0);
    uf_free(filter);
}

int fuzz_builder(const uint8_t *data, size_t size)
{
    static struct bytes bytes;
    struct tape tape = {data, size};
    const unsigned index = tape_byte(&tape) % SPECS;
    struct accounts accounts = {.limit = 4 * MEGABYTE};
    uf_context ctx = UF_CONTEXT_INIT;
    uf_builder *builder = NULL;
    uint64_t random = 1;
    uf_spec spec;
    uf_error why;
    bytes = *written(index);
    while (tape.left > 2) {
        const size_t at = (size_t)tape_number(&tape, 2);
        bytes.data[at % bytes.size] = (unsigned char)tape_byte(&tape);
    }
    bytes.size -= (size_t)tape_number(&tape, 2) % bytes.size;
    seal(&bytes);
    ctx.allocator = accounts_allocator(&accounts);
    ctx.secret = fuzz_secret();
    ctx.random = fuzz_random;
    ctx.random_arg = &random;
    fuzz_bypass = 1;
    fuzz_check(uf_spec_parse(specs[index], &spec, NULL) == UF_OK);
    unsigned char *exact = malloc(bytes.size);
    fuzz_check(exact);
    memcpy(exact, bytes.data, bytes.size);
    int status = uf_builder_read(&spec, exact, bytes.size, &ctx, &builder, &why);
    fuzz_check((status == UF_OK) == (builder != NULL) && why.status == status && (status == UF_OK) == !why.text[0]);
    if (builder) {
        fuzz_plant(index == 5, bytes.data[HEAD + 2] == 0xaa);
        finish(builder);
    }
    uf_builder_free(builder);
    free(exact);
    fuzz_check(!accounts.blocks && !accounts.live);
    fuzz_bypass = 0;
    return 0;
}
