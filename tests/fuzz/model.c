/* SPDX-License-Identifier: MIT */
/* Model files, with checksums and sizes that fit. The input: u8 (1: sizes as they are) · 112 bytes behind the magic ·
 * the weights. */
#include "sealed.h"

#include <stdlib.h>
#include <string.h>

#include "checksum.h"

enum { HEAD = 128, MAGIC = 8, SUM_AT = HEAD - 8, FRONT = 1 + SUM_AT - MAGIC, MEGABYTE = 1 << 20 };

/* In a block of exactly its size. */
static unsigned char *make_file(struct tape *tape, size_t *size)
{
    const unsigned sizes_given = tape_byte(tape) & 1;
    const uint8_t *head, *weights;
    size_t head_bytes = tape_take(tape, SUM_AT - MAGIC, &head), bytes = tape_take(tape, MEGABYTE, &weights);
    unsigned char *file = calloc(1, HEAD + bytes + 8);
    fuzz_check(file);
    memcpy(file, "\x89UFM\r\n\x1a\n", MAGIC);
    if (head_bytes)
        memcpy(file + MAGIC, head, head_bytes);
    if (bytes)
        memcpy(file + HEAD, weights, bytes);
    if (!sizes_given) {
        sealed_put(file + 20, HEAD, 4);
        sealed_put(file + 24, HEAD + bytes + 8, 8);
        sealed_put(file + 32, bytes, 8);
    }
    sealed_put(file + SUM_AT, checksum(file, SUM_AT, 0), 8);
    sealed_put(file + HEAD + bytes, checksum(file + HEAD, bytes, 1), 8);
    *size = HEAD + bytes + 8;
    return file;
}

fuzz_head_of fuzz_model_head;
size_t fuzz_model_head(const uint8_t *data, size_t size)
{
    (void)data;
    return size < FRONT ? size : FRONT;
}

int fuzz_model(const uint8_t *data, size_t size)
{
    struct tape tape = {data, size};
    size_t bytes;
    unsigned char *file = make_file(&tape, &bytes);
    struct accounts accounts = {.limit = bytes + MEGABYTE, .strict = 1};
    uf_context ctx = UF_CONTEXT_INIT;
    uf_model *model = NULL;
    uf_error why;
    ctx.allocator = accounts_allocator(&accounts);
    int status = uf_model_load_bytes(file, bytes, &ctx, &model, &why);
    fuzz_check((status == UF_OK) == (model != NULL) && why.status == status && (status == UF_OK) == !why.text[0]);
    if (model) {
        int32_t scores[FUZZ_KEYS];
        uf_model_info info;
        fuzz_check(uf_model_get_info(model, &info, sizeof info) == UF_OK && info.auc >= 0 && info.auc <= 1);
        uf_model_score_many(model, fuzz_keys(), FUZZ_KEYS, scores);
        for (size_t i = 0; i < FUZZ_KEYS; i++)
            fuzz_check(uf_model_score(model, fuzz_keys()[i]) == scores[i]);
        fuzz_plant(info.positives > UINT32_MAX, info.seed % 16 == 13);
    }
    uf_model_free(model);
    fuzz_check(!accounts.blocks && !accounts.live);
    free(file);
    return 0;
}
