/* SPDX-License-Identifier: MIT */
#include "observation.h"

#include <stdlib.h>
#include <string.h>

#include "view.h"

struct observation observation_new(void)
{
    return (struct observation){.answer = -1, .bits = -1};
}

void observation_free(struct observation *observation)
{
    free(observation->file.data);
    free(observation->printed.data);
    *observation = observation_new();
}

int seen_append(struct seen_bytes *seen, const void *data, size_t size)
{
    unsigned char *all = realloc(seen->data, seen->size + size + 1);
    if (!all)
        return -1;
    seen->data = all;
    if (size)
        memcpy(all + seen->size, data, size);
    seen->size += size;
    return 0;
}

static int take(void *arg, const void *data, size_t bytes)
{
    return seen_append(arg, data, bytes);
}

/* Of kinds with an array of bits whose hash is public; not of ultra with hashes=paper, which has other positions. */
static int bits_of(const uf_filter *filter, uf_key x)
{
    struct view view;
    int set = 0;
    uf_spec plan;
    char hashes[16] = "";
    uf_get_plan(filter, &plan);
    (void)uf_spec_get_text(&plan, "hashes", hashes, sizeof hashes);
    if (uf_spec_is_keyed(&plan) || !strcmp(hashes, "paper") || view_of_filter(filter, 0, &view, NULL) != UF_OK)
        return -1;
    struct view_hash hash = view_hash_key(&view, x);
    for (unsigned i = 0; i < view.k; i++)
        set += view_count(&view, view_position(&view, hash, i)) > 0;
    view_free(&view);
    return set;
}

static void ask(const uf_filter *filter, uf_key x, struct observation *out)
{
    out->answer = uf_query(filter, x);
    out->bits = bits_of(filter, x);
}

int observe_filter(const uf_filter *filter, uf_key x, struct observation *out, uf_error *why)
{
    out->exists = 1;
    ask(filter, x, out);
    return uf_write(filter, UF_FORMAT_UF, take, &out->file, why);
}

void observe_bytes(struct observation *observation, uf_key x)
{
    uf_filter *filter;
    if (uf_load_bytes(observation->file.data, observation->file.size, UF_WITHOUT_KEY, NULL, &filter, NULL) != UF_OK)
        return;
    if (!uf_is_locked(filter))
        ask(filter, x, observation);
    uf_free(filter);
}
