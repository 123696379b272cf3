/* SPDX-License-Identifier: MIT */
/*
 * Builders as bytes (uf_builder_read), with checksums that fit. The input:
 *
 *     u8 which builder · u8 edits of its header · each edit, u16 where and u8 the new value · u8 bytes of its spec · so
 *     many, 0 for the one that it has · what is behind the header, and nothing for what it has: hashes of 16 bytes, or
 *     a file (sealed.h)
 *
 * How many hashes there are is put into the header, unless an edit says otherwise.
 */
#define UF_EXPERIMENTAL
#include "sealed.h"

#include <stdlib.h>
#include <string.h>

#include "checksum.h"

enum {
    FORM_AT = 12,
    FORM_FILTER = 2,
    KEYS_AT = 16,
    SPEC_AT = 208,
    SUMMED = 720,
    HEAD = SUMMED + 8,
    HASH = 16,
    MOST_EDITS = 8,
    MOST_BODY = 1 << 12,
    MEGABYTE = 1 << 20
};

struct bytes {
    unsigned char data[HEAD + (1 << 14)];
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

/* With all of its parameters, where they follow from it: to choose them takes longer than all else. */
static const uf_spec *spec_of(unsigned index)
{
    static uf_spec all[SPECS];
    uf_spec planned, *one = &all[index];
    if (one->text[0])
        return one;
    fuzz_check(uf_spec_parse(specs[index], one, NULL) == UF_OK);
    if (uf_plan(one, &planned, NULL) == UF_OK)
        *one = planned;
    return one;
}

/* Of each spec one builder, with all of the keys. */
static const struct bytes *written(unsigned index)
{
    static struct bytes all[SPECS];
    struct bytes *one = &all[index];
    uf_context ctx = UF_CONTEXT_INIT;
    uf_builder *builder;
    if (one->size)
        return one;
    ctx.secret = fuzz_secret();
    fuzz_check(uf_builder_new(spec_of(index), &ctx, &builder, NULL) == UF_OK);
    fuzz_check(uf_builder_add(builder, fuzz_keys(), FUZZ_KEYS, NULL) == UF_OK);
    fuzz_check(uf_builder_write(builder, collect, one, NULL) == UF_OK);
    uf_builder_free(builder);
    return one;
}

static int has_filter(unsigned index)
{
    return written(index)->data[FORM_AT] == FORM_FILTER;
}

/* ---- making bytes ---- */

static void edit(struct tape *tape, unsigned edits, unsigned char head[SUMMED])
{
    for (unsigned i = 0; i < edits; i++) {
        const size_t at = (size_t)tape_number(tape, 2) % SUMMED;
        head[at] = (unsigned char)tape_byte(tape);
    }
}

static void put_spec(struct tape *tape, unsigned char head[SUMMED])
{
    const uint8_t *text;
    size_t bytes = tape_take(tape, tape_byte(tape), &text);
    if (!bytes)
        return;
    memset(head + SPEC_AT, 0, SUMMED - SPEC_AT);
    memcpy(head + SPEC_AT, text, bytes);
}

static void put_hashes(struct tape *tape, struct bytes *out)
{
    const uint8_t *hashes;
    size_t bytes = tape_take(tape, MOST_BODY, &hashes) / HASH * HASH;
    sealed_put(out->data + KEYS_AT, bytes / HASH, 8);
    memcpy(out->data + HEAD, hashes, bytes);
    sealed_put(out->data + HEAD + bytes, checksum(hashes, bytes, 1), 8);
    out->size = HEAD + bytes + (bytes ? 8 : 0);
}

static void put_filter(struct tape *tape, struct bytes *out)
{
    struct tape some = {tape->at, tape->left < MOST_BODY ? tape->left : MOST_BODY};
    struct sealed file = sealed_filter(&some, 0);
    fuzz_check(file.size <= sizeof out->data - HEAD);
    memcpy(out->data + HEAD, file.data, file.size);
    out->size = HEAD + file.size;
    free(file.data);
}

/* In a block of exactly its size. */
static unsigned char *make_bytes(struct tape *tape, unsigned index, size_t *size)
{
    static struct bytes bytes;
    const struct bytes *from = written(index);
    const unsigned edits = tape_byte(tape) % MOST_EDITS;
    struct tape edited = *tape;
    memcpy(bytes.data, from->data, from->size);
    bytes.size = from->size;
    tape->at += tape->left < 3 * edits ? tape->left : 3 * edits;
    tape->left -= tape->left < 3 * edits ? tape->left : 3 * edits;
    put_spec(tape, bytes.data);
    if (tape->left && has_filter(index))
        put_filter(tape, &bytes);
    else if (tape->left)
        put_hashes(tape, &bytes);
    edit(&edited, edits, bytes.data);
    sealed_put(bytes.data + SUMMED, checksum(bytes.data, SUMMED, 0), 8);
    unsigned char *exact = malloc(bytes.size);
    fuzz_check(exact);
    memcpy(exact, bytes.data, bytes.size);
    *size = bytes.size;
    return exact;
}

/* ---- using them ---- */

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

/* Whatever is wrong at the end of the bytes is found in them cut as well. */
static void refuse_cut(const uf_spec *spec, const unsigned char *bytes, size_t size, const uf_context *ctx)
{
    uf_builder *builder = NULL;
    fuzz_check(uf_builder_read(spec, bytes, size - 1, ctx, &builder, NULL) != UF_OK && !builder);
}

int fuzz_builder(const uint8_t *data, size_t size)
{
    struct tape tape = {data, size};
    const unsigned index = tape_byte(&tape) % SPECS;
    struct accounts accounts = {.limit = 4 * MEGABYTE, .strict = 1};
    uf_context ctx = UF_CONTEXT_INIT;
    uf_builder *builder = NULL;
    uint64_t random = 1;
    uf_error why;
    size_t made;
    unsigned char *bytes = make_bytes(&tape, index, &made);
    ctx.allocator = accounts_allocator(&accounts);
    ctx.secret = fuzz_secret();
    ctx.random = fuzz_random;
    ctx.random_arg = &random;
    fuzz_bypass = 1;
    int status = uf_builder_read(spec_of(index), bytes, made, &ctx, &builder, &why);
    fuzz_check((status == UF_OK) == (builder != NULL) && why.status == status && (status == UF_OK) == !why.text[0]);
    accounts.strict = 0;
    if (builder) {
        fuzz_plant(index == 5 && bytes[KEYS_AT] > 2 * FUZZ_KEYS, bytes[KEYS_AT] == 45);
        finish(builder);
        refuse_cut(spec_of(index), bytes, made, &ctx);
    }
    uf_builder_free(builder);
    free(bytes);
    fuzz_check(!accounts.blocks && !accounts.live);
    fuzz_bypass = 0;
    return 0;
}

fuzz_head_of fuzz_builder_head;
size_t fuzz_builder_head(const uint8_t *data, size_t size)
{
    size_t at = size > 1 ? 2 + 3 * (size_t)(data[1] % MOST_EDITS) : 0;
    if (at >= size)
        return size;
    at += 1 + (size_t)data[at];
    return has_filter(data[0] % SPECS) ? sealed_head(data, size, at) : at;
}
