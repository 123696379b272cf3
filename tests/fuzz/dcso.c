/* SPDX-License-Identifier: MIT */
/* Files of DCSO's bloom: the input is the file. What loads is written as it was, but for flags that mean nothing. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

enum { MEGABYTE = 1 << 20, FLAGS = 8 };

struct compare {
    const uint8_t *data;
    size_t size, at;
};

static int same(void *arg, const void *data, size_t bytes)
{
    struct compare *compare = arg;
    const uint8_t *byte = data;
    fuzz_check(bytes <= compare->size - compare->at);
    for (size_t i = 0; i < bytes; i++, compare->at++)
        fuzz_check(compare->at < FLAGS || byte[i] == compare->data[compare->at]);
    return 0;
}

static void use(uf_filter *filter, const uf_context *ctx)
{
    const uf_key *keys = fuzz_keys();
    uint8_t answers[FUZZ_KEYS];
    uf_info info;
    uf_claim claim;
    uf_spec plan;
    uf_filter *twin = NULL;
    uf_query_many(filter, keys, FUZZ_KEYS, answers);
    for (size_t i = 0; i < FUZZ_KEYS; i++)
        fuzz_check(answers[i] == uf_query(filter, keys[i]));
    (void)uf_get_info(filter, &info, sizeof info);
    (void)uf_get_claim(filter, &claim, sizeof claim);
    uf_get_plan(filter, &plan);
    for (size_t i = 0; i < FUZZ_KEYS; i += 3)
        fuzz_check(uf_insert(filter, keys[i], NULL) != UF_OK || uf_query(filter, keys[i]));
    if (uf_copy(filter, ctx, &twin, NULL) == UF_OK)
        (void)uf_merge(twin, filter, NULL);
    uf_free(twin);
    fuzz_plant(info.bits<256, info.capacity> 300);
}

int fuzz_dcso(const uint8_t *data, size_t size)
{
    struct accounts accounts = {.limit = size + MEGABYTE, .strict = 1};
    struct compare compare = {data, size, 0};
    uf_context ctx = UF_CONTEXT_INIT;
    uf_filter *filter = NULL;
    uf_error why;
    ctx.allocator = accounts_allocator(&accounts);
    int status = uf_load_bytes(data, size, UF_FORMAT_DCSO, &ctx, &filter, &why);
    fuzz_check((status == UF_OK) == (filter != NULL) && why.status == status && (status == UF_OK) == !why.text[0]);
    accounts.limit = 16 * MEGABYTE;
    accounts.strict = 0;
    if (filter) {
        fuzz_check(uf_write(filter, UF_FORMAT_DCSO, same, &compare, NULL) == UF_OK && compare.at == size);
        use(filter, &ctx);
    }
    uf_free(filter);
    fuzz_check(!accounts.blocks && !accounts.live);
    return 0;
}
