/* SPDX-License-Identifier: MIT */
/*
 * What is attacked: a filter that answers queries and takes inserts, and of which an attacker may have the file.
 *
 *   unkeyed  a filter of ours without a key. Its seed is drawn for each filter and is in the file: who has the file can
 *            compute where any item's bits are, who has not cannot.
 *   redis    RedisBloom's way to find the bits of an item, written from its description: public to everyone.
 *   keyed    the same filter of ours, over a PRF of a fresh key. The attacker has the file, never the key.
 */
#ifndef LAB_TARGET_H
#define LAB_TARGET_H

#include "view.h"

enum target_id { TARGET_UNKEYED, TARGET_REDIS, TARGET_KEYED, TARGETS };

/* What a target is planned for. */
struct target_plan {
    const char *kind; /* of ours: bloom or blocked */
    uint64_t n;
    double fpr;
    const char *full; /* what ours does when it is full: refuse or warn; NULL: as its kind does */
};

struct target {
    enum target_id id;
    const char *name;
    struct target_plan plan;
    double design; /* its false-positive rate at n items, for items that nobody chose */
    /* ours */
    uf_spec spec;
    uf_filter *filter;    /* owned */
    uf_secret *own;       /* owned: the key that was drawn for it */
    const uf_secret *key; /* the key that it has */
    /* redis */
    uint64_t m, *words; /* owned */
    unsigned k;
};

const char *target_name(enum target_id id);

/* An empty one: with a seed, and if keyed a key, of its own, from ctx->random or the system. */
int target_new(enum target_id id, const struct target_plan *plan, const uf_context *ctx, struct target *out,
               uf_error *why);

/* What an attacker knows of a target. */
enum target_knowledge {
    KNOWS_PLAN, /* what it is planned for */
    KNOWS_FILE, /* its file: every parameter and the seed, not the key */
    KNOWS_KEY   /* the key, too */
};

/* An empty one that an attacker makes to be like the target, as far as they can. What they do not know is drawn. It may
 * use the target's key. */
int target_copy(const struct target *target, enum target_knowledge knows, const uf_context *ctx, struct target *out,
                uf_error *why);
void target_free(struct target *target);

/* UF_EFULL when the filter refuses them. */
int target_insert(struct target *target, const struct item *items, size_t count);
void target_query(const struct target *target, const struct item *items, size_t count, uint8_t *answers);
/* How many of them it accepts. */
uint64_t target_hits(const struct target *target, const struct item *items, size_t count);
/* How many of `count` fresh random items it accepts. */
uint64_t target_hits_random(const struct target *target, struct stream *stream, uint64_t count);
/* Inserts `count` random items. */
int target_fill(struct target *target, struct stream *stream, uint64_t count);

/* The chance that it accepts a random item now, from its bits. */
double target_rate_now(const struct target *target);
/* The share of its bits that is set. */
double target_fill_now(const struct target *target);

/* What an attacker sees who has the file. `made_up` stands for the key that they do not have. */
int target_view(const struct target *target, uint64_t made_up, struct view *out, uf_error *why);

#endif
