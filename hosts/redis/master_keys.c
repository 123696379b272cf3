/* SPDX-License-Identifier: MIT */
#include "master_keys.h"

#include <string.h>

#include "memory.h"

static uf_secret *slots[KEY_SLOTS];

/* Keys that were replaced: a thread may still work with one. They are few, and wiped at the end. */
static struct retired {
    uf_secret *secret;
    struct retired *next;
} * retired;

static void retire(uf_secret *secret)
{
    if (!secret)
        return;
    struct retired *old = RedisModule_Alloc(sizeof *old);
    *old = (struct retired){secret, retired};
    retired = old;
}

static unsigned generation = 1;

int keys_load(enum key_slot slot, const char *path, uf_error *why)
{
    uf_secret *secret = NULL;
    int status = *path ? uf_secret_load(path, &secret, why) : UF_OK;
    if (status != UF_OK)
        return status;
    retire(slots[slot]);
    slots[slot] = secret;
    generation++;
    return UF_OK;
}

int keys_present(void)
{
    return slots[KEY_CURRENT] != NULL;
}

unsigned keys_generation(void)
{
    return generation;
}

void keys_id(enum key_slot slot, char out[UF_KEY_ID_SIZE])
{
    out[0] = '\0';
    if (slots[slot])
        uf_secret_id(slots[slot], out);
}

static const uf_secret *find(void *arg, const char *key_id)
{
    char id[UF_KEY_ID_SIZE];
    (void)arg;
    for (int i = 0; i < KEY_SLOTS; i++) {
        keys_id((enum key_slot)i, id);
        if (slots[i] && !strcmp(id, key_id))
            return slots[i];
    }
    return NULL;
}

uf_context keys_context(void)
{
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.allocator = redis_memory;
    ctx.secret = slots[KEY_CURRENT];
    ctx.secret_by_id = find;
    return ctx;
}

void keys_forget(void)
{
    for (int i = 0; i < KEY_SLOTS; i++) {
        retire(slots[i]);
        slots[i] = NULL;
    }
    while (retired) {
        struct retired *next = retired->next;
        uf_secret_free(retired->secret);
        RedisModule_Free(retired);
        retired = next;
    }
}
