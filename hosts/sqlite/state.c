/* SPDX-License-Identifier: MIT */
#include "state.h"

#include <stdlib.h>
#include <string.h>

#include "call.h"

struct shared_filter *shared_new(uf_filter *filter)
{
    struct shared_filter *shared = malloc(sizeof *shared);
    if (shared)
        *shared = (struct shared_filter){filter, 1};
    else
        uf_free(filter);
    return shared;
}

void shared_drop(struct shared_filter *shared)
{
    if (!shared || --shared->users)
        return;
    uf_free(shared->filter);
    free(shared);
}

/* ---- the connection ---- */

struct state *state_new(sqlite3 *db)
{
    struct state *state = calloc(1, sizeof *state);
    if (state)
        state->db = db;
    return state;
}

static void forget(struct cached_blob *blob)
{
    shared_drop(blob->filter);
    free(blob->bytes);
    *blob = (struct cached_blob){NULL, NULL, 0, 0};
}

static void forget_all(struct state *state)
{
    for (int i = 0; i < CACHED_BLOBS; i++)
        forget(&state->cached[i]);
}

void state_drop(void *arg)
{
    struct state *state = arg;
    if (--state->users)
        return;
    forget_all(state);
    while (state->named) {
        struct named_filter *next = state->named->next;
        shared_drop(state->named->filter);
        free(state->named);
        state->named = next;
    }
    while (state->secrets) {
        struct old_secret *next = state->secrets->next;
        uf_secret_free(state->secrets->secret);
        free(state->secrets);
        state->secrets = next;
    }
    free(state);
}

int state_set_secret(struct state *state, uf_secret *secret)
{
    struct old_secret *entry = malloc(sizeof *entry);
    if (!entry) {
        uf_secret_free(secret);
        return -1;
    }
    forget_all(state);
    *entry = (struct old_secret){state->secrets, secret};
    state->secrets = entry;
    state->secret = secret;
    return 0;
}

/* ---- blobs ---- */

/* Every byte: a value that was damaged since is not answered for by the good one. */
static int is_same(const struct cached_blob *blob, const unsigned char *data, size_t size)
{
    return blob->filter && blob->size == size && !memcmp(blob->bytes, data, size);
}

static void remember(struct state *state, struct shared_filter *filter, const unsigned char *data, size_t size)
{
    struct cached_blob *oldest = &state->cached[0];
    unsigned char *bytes = size <= CACHED_BYTES ? malloc(size) : NULL;
    for (int i = 1; i < CACHED_BLOBS; i++)
        if (state->cached[i].used < oldest->used)
            oldest = &state->cached[i];
    if (!bytes)
        return;
    memcpy(bytes, data, size);
    forget(oldest);
    *oldest = (struct cached_blob){filter, bytes, size, ++state->clock};
    filter->users++;
}

static struct shared_filter *load(struct state *state, const void *data, size_t size, uf_error *why)
{
    uf_filter *filter;
    struct call call;
    call_begin(&call, state);
    if (uf_load_bytes(data, size, UF_FORMAT_UF, &call.context, &filter, why) != UF_OK)
        return NULL;
    struct shared_filter *shared = shared_new(filter);
    if (!shared)
        (void)call_fail(why, UF_ENOMEM, "there is no memory for a filter");
    return shared;
}

struct shared_filter *state_load(struct state *state, const void *data, size_t size, uf_error *why)
{
    for (int i = 0; i < CACHED_BLOBS; i++)
        if (is_same(&state->cached[i], data, size)) {
            state->cached[i].used = ++state->clock;
            state->cached[i].filter->users++;
            return state->cached[i].filter;
        }
    struct shared_filter *shared = load(state, data, size, why);
    if (shared)
        remember(state, shared, data, size);
    return shared;
}

/* ---- names ---- */

static struct named_filter **find(struct state *state, const char *name)
{
    struct named_filter **at = &state->named;
    while (*at && strcmp((*at)->name, name) != 0)
        at = &(*at)->next;
    return at;
}

int state_close(struct state *state, const char *name)
{
    struct named_filter **at = find(state, name), *old = *at;
    if (!old)
        return 0;
    *at = old->next;
    shared_drop(old->filter);
    free(old);
    return 1;
}

int state_open(struct state *state, const char *name, uf_filter *filter)
{
    struct named_filter *named = malloc(sizeof *named + strlen(name) + 1);
    struct shared_filter *shared = shared_new(filter);
    if (!named || !shared) {
        free(named);
        shared_drop(shared);
        return -1;
    }
    (void)state_close(state, name);
    strcpy(named->name, name);
    named->filter = shared;
    named->next = state->named;
    state->named = named;
    return 0;
}

struct shared_filter *state_named(struct state *state, const char *name)
{
    struct named_filter *named = *find(state, name);
    if (!named)
        return NULL;
    named->filter->users++;
    return named->filter;
}
