/* SPDX-License-Identifier: MIT */
/* Group by group of the hashes, which depend on the keys alone: sort, drop duplicates, digest; then a digest of all. */
#include "key_summary.h"

#include "derive.h"
#include "distinct.h"
#include "shards.h"
#include "wire.h"

struct groups {
    const uint64_t *counts;
    uint64_t distinct[RUN_GROUPS];
    unsigned char digest[RUN_GROUPS][32];
};

static int summarize_group(void *arg, uint32_t group, struct hash128 *keys)
{
    struct groups *groups = arg;
    struct digest digest;
    uint64_t count = groups->counts[group];
    distinct_sorted(keys, &count);
    digest_start(&digest, NULL, "keys");
    for (uint64_t i = 0; i < count; i++) {
        unsigned char bytes[16];
        struct writer writer = {bytes, sizeof bytes, 0};
        write_uint(&writer, keys[i].lo, 8);
        write_uint(&writer, keys[i].hi, 8);
        digest_add(&digest, bytes, sizeof bytes);
    }
    digest_end(&digest, groups->digest[group]);
    groups->distinct[group] = count;
    return UF_OK;
}

static void sum_up(const struct groups *groups, struct key_summary *out)
{
    struct digest digest;
    out->distinct = 0;
    for (int i = 0; i < RUN_GROUPS; i++)
        out->distinct += groups->distinct[i];
    digest_start(&digest, NULL, "set");
    digest_add(&digest, groups->digest, sizeof groups->digest);
    digest_end(&digest, out->digest);
}

int summarize_keys(const struct hash_runs *runs, const uf_context *ctx, struct key_summary *out)
{
    uf_context quiet = *ctx;
    struct shards shards = {runs, &quiet, runs->mem, RUN_GROUPS, NULL};
    struct groups *groups = mem_alloc(runs->mem, 1, sizeof *groups);
    quiet.progress = NULL;
    int status = groups ? shards_count(&shards) : UF_ENOMEM;
    if (status == UF_OK) {
        groups->counts = shards.keys;
        status = shards_run(&shards, summarize_group, groups);
    }
    if (status == UF_OK)
        sum_up(groups, out);
    shards_end(&shards);
    mem_free(runs->mem, groups, 1, sizeof *groups);
    return status;
}
