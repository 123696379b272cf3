/* SPDX-License-Identifier: MIT */
/* Specs and universes as text: read, planned, and planned again. The input: u8 of flags · the text. */
#include "fuzz.h"

#include <string.h>

enum { MOST_TEXT = 600, MOST_UNIVERSE = 1 << 16 };

static void plan(const uf_spec *spec)
{
    uf_spec planned, again;
    uf_sizes sizes;
    uf_error why;
    int status = uf_plan(spec, &planned, &why);
    fuzz_check(why.status == status && (status == UF_OK) == !why.text[0]);
    if (status != UF_OK)
        return;
    fuzz_check(uf_plan(&planned, &again, &why) == UF_OK && !strcmp(planned.text, again.text));
    status = uf_plan_sizes(&planned, &sizes, sizeof sizes, NULL);
    fuzz_plant(status == UF_OK && sizes.capacity > 100, uf_spec_is_keyed(spec));
}

static void universe(const char *text)
{
    struct accounts accounts = {.limit = MOST_UNIVERSE, .strict = 1};
    uf_context ctx = UF_CONTEXT_INIT;
    uf_universe *found;
    char buffer[UF_UNIVERSE_KEY_SIZE];
    uint64_t rank;
    ctx.allocator = accounts_allocator(&accounts);
    if (uf_universe_parse(text, &ctx, &found, NULL) != UF_OK)
        return;
    const uint64_t size = uf_universe_size(found), some[] = {0, size / 2, size - 1};
    fuzz_check(size);
    for (unsigned i = 0; i < 3; i++)
        fuzz_check(uf_universe_rank(found, uf_universe_key(found, some[i], buffer), &rank) == UF_OK && rank == some[i]);
    for (size_t i = 0; i < FUZZ_KEYS; i++)
        fuzz_check(uf_universe_rank(found, fuzz_keys()[i], &rank) != UF_OK || rank < size);
    uf_universe_free(found);
    fuzz_check(!accounts.blocks);
}

int fuzz_spec(const uint8_t *data, size_t size)
{
    struct tape tape = {data, size};
    const unsigned flags = tape_byte(&tape);
    const uint8_t *given;
    char text[MOST_TEXT + 1];
    uf_spec spec, again;
    uf_error why;
    size_t bytes = tape_take(&tape, MOST_TEXT, &given);
    memcpy(text, given, bytes);
    text[bytes] = 0;
    if (flags & 1) {
        universe(text);
        return 0;
    }
    int status = uf_spec_parse(text, &spec, &why);
    fuzz_check(why.status == status && (status == UF_OK) == !why.text[0]);
    if (status != UF_OK)
        return 0;
    fuzz_check(uf_spec_parse(spec.text, &again, NULL) == UF_OK && !strcmp(spec.text, again.text));
    if (uf_spec_kind(&spec))
        plan(&spec);
    return 0;
}
