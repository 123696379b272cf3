/* SPDX-License-Identifier: MIT */
#include "feed.h"

#include <stdatomic.h>

#include "progress.h"
#include "say.h"

struct feeding {
    uf_builder *builder;
    atomic_int status; /* of an add that failed */
};

static enum keys_verdict add_block(void *arg, struct keys_block *block)
{
    struct feeding *feeding = arg;
    uf_key keys[KEYS_BATCH];
    const char *cursor = NULL;
    for (size_t count; (count = keys_next(block, &cursor, keys));) {
        int status = uf_builder_add(feeding->builder, keys, count, NULL);
        if (status != UF_OK) {
            atomic_store(&feeding->status, status);
            return KEYS_FAILED;
        }
        block->keys += count;
    }
    return KEYS_GO_ON;
}

int feed_builder(const struct keys_input *input, unsigned threads, uf_builder *builder, uint64_t *keys)
{
    struct feeding feeding = {.builder = builder};
    const struct keys_job job = {.work = add_block, .arg = &feeding, .threads = threads};
    struct keys_totals totals;
    progress_phase("building", input->bytes);
    int status = keys_run(input, &job, &totals);
    *keys = totals.keys;
    if (feeding.status == UF_ENOMEM && !input->regular)
        return say_error("%s: out of memory; with -n a build from a pipe needs no memory per key", input->name);
    if (feeding.status)
        return say_error("%s: cannot add the keys: %s", input->name, uf_status_text(feeding.status));
    return status;
}
