/* SPDX-License-Identifier: MIT */
#include "value.h"

#include <string.h>

#include "master_keys.h"
#include "memory.h"

static struct value *with_account(struct account *account)
{
    struct value *value = RedisModule_Calloc(1, sizeof *value);
    value->holders = 1;
    value->account = account;
    return value;
}

struct value *value_new(void)
{
    return with_account(account_new());
}

struct value *value_beside(const struct value *other)
{
    account_hold(other->account);
    return with_account(other->account);
}

uf_context value_context(const struct value *value)
{
    uf_context ctx = keys_context();
    ctx.allocator = account_memory(value->account);
    return ctx;
}

void value_hold(struct value *value)
{
    __atomic_add_fetch(&value->holders, 1, __ATOMIC_RELAXED);
}

void value_release(struct value *value)
{
    if (!value || __atomic_sub_fetch(&value->holders, 1, __ATOMIC_ACQ_REL))
        return;
    for (unsigned i = 0; i < value->levels; i++)
        uf_free(value->filter[i]);
    account_release(value->account);
    RedisModule_Free(value);
}

/* What removes is refused while threads share a filter, and so it is frozen as a whole. */
static int can_share(const struct value *value)
{
    uf_spec plan;
    uf_get_plan(value_last(value), &plan);
    const char *kind = uf_spec_kind(&plan);
    return value->levels == 1 && !value_grows(value) && kind && !(uf_kind_traits(kind) & UF_TRAIT_REMOVES) &&
           uf_tune(value->filter[0], UF_KNOB_SHARED, 1) == UF_OK;
}

void value_lend(struct value *value)
{
    value_hold(value);
    if (value->borrowers++ == 0)
        value->frozen = !can_share(value);
}

void value_give_back(struct value *value)
{
    if (--value->borrowers == 0) {
        value->frozen = 0;
        (void)uf_tune(value->filter[0], UF_KNOB_SHARED, 0);
    }
    value_release(value);
}

int value_add_level(struct value *value, uf_filter *filter)
{
    if (value->levels == MOST_LEVELS)
        return UF_EFULL;
    value->filter[value->levels++] = filter;
    value->open = 0; /* to be looked at anew */
    return UF_OK;
}

int value_take_level(struct value *value, struct value *from)
{
    if (from->levels != 1 || from->account != value->account || value_add_level(value, from->filter[0]) != UF_OK)
        return UF_EFULL;
    from->levels = 0;
    return UF_OK;
}

static uf_sizes sizes_of(const uf_filter *filter)
{
    uf_sizes sizes = {.levels = 0};
    (void)uf_get_sizes(filter, &sizes, sizeof sizes);
    return sizes;
}

size_t value_memory(const struct value *value)
{
    return RedisModule_MallocSize((void *)(uintptr_t)value) + account_bytes(value->account);
}

uint64_t value_capacity(const struct value *value)
{
    uint64_t sum = 0;
    if (value_filters(value) == 1 && value->figures[FIGURE_CAPACITY])
        return value->figures[FIGURE_CAPACITY];
    for (unsigned i = 0; i < value->levels; i++)
        sum += sizes_of(value->filter[i]).capacity;
    return sum;
}

uint64_t value_filters(const struct value *value)
{
    uint64_t sum = 0;
    for (unsigned i = 0; i < value->levels; i++)
        sum += sizes_of(value->filter[i]).levels;
    return sum;
}

static int any_locked(const struct value *value)
{
    int locked = 0;
    for (unsigned i = 0; i < value->levels; i++)
        locked |= uf_is_locked(value->filter[i]);
    return locked;
}

int value_try_keys(struct value *value)
{
    if (any_locked(value) && value->tried != keys_generation() && !value->borrowers) {
        uf_context ctx = value_context(value);
        for (unsigned i = 0; i < value->levels; i++)
            (void)uf_unlock(value->filter[i], &ctx, NULL);
        value->tried = keys_generation();
    }
    value->open = !any_locked(value);
    return !value->open;
}

struct value *value_copy(const struct value *value, uf_error *why)
{
    struct value *copy = value_new();
    uf_context ctx = value_context(copy);
    memcpy(copy->figures, value->figures, sizeof copy->figures);
    for (unsigned i = 0; i < value->levels; i++) {
        uf_filter *filter = NULL;
        if (uf_copy(value->filter[i], &ctx, &filter, why) != UF_OK) {
            value_release(copy);
            return NULL;
        }
        (void)uf_tune(filter, UF_KNOB_SHARED, 0);
        (void)value_add_level(copy, filter);
    }
    return copy;
}

enum family value_family(const uf_spec *plan)
{
    const char *kind = uf_spec_kind(plan);
    return kind && !strcmp(kind, "counting") ? FAMILY_CF : FAMILY_UF;
}
