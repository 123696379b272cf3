/* SPDX-License-Identifier: MIT */
/*
 * What a kind of filter is: one const struct filter_ops in one file of kinds/, listed in kinds/table.c. Argument
 * checks, hashing, files and threads are done elsewhere, so that a kind only says how its numbers are planned, how
 * 128-bit hashes meet its words, and which of its bytes are legal.
 */
#ifndef UF_OPS_H
#define UF_OPS_H

#include "hash.h"
#include "mark.h"
#include "mem.h"
#include "spec.h"
#include "ultrafilter.h"
#include "wire.h"

struct hash_runs; /* all keys of a static kind: core/runs.h */
struct scatter;   /* where items go: kinds/scatter.h */
struct scored_list;
struct learned_traits;

/* A piece of an insert: which place, and what to do there. */
struct item {
    uint64_t place, what;
};

/* What may still come: how many keys, and by how much the measure of the rate may rise. spare.h. */
struct spare {
    uint64_t keys, measure;
};

/* The calls that run for every key. A kind with several implementations picks one when the handle is made. */
struct filter_calls {
    int (*query)(const struct uf_filter *filter, struct hash128 hash);
    void (*query_many)(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers);
    /* Inserts by one writer, key by key: each sees those before it. verdict[i] becomes 1 when key i was new, that is
     * when the filter would not have answered to it, 0 when it was known, or UF_ESTUCK when it was left out. NULL:
     * nobody asks, which is faster. */
    void (*add_many)(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict);
    int (*add)(struct uf_filter *filter, struct hash128 hash); /* one key, and its verdict */
    void (*apply)(struct uf_filter *filter, const struct item *items, size_t count);
    /* add_many with verdicts within what is spare (capacity.h), of which it takes: UF_EFULL for a key that it does not
     * answer to and that there is nothing spare for, which changes nothing. By several writers when the filter is
     * shared. And one key. */
    void (*add_within)(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict,
                       struct spare *spare);
    int (*add_one_within)(struct uf_filter *filter, struct hash128 hash, struct spare *spare);
    /* Optional: `query` for filters whose hash is XXH3, which hashes the key itself. word_hash with filter->word is
     * what keys of 8 bytes want. */
    int (*query_key)(const struct uf_filter *filter, uf_key key);
    int (*add_key)(struct uf_filter *filter, uf_key key, uf_error *why); /* likewise `add`; why is not looked at */
    int (*query_keyed)(const struct uf_filter *filter, uf_key key); /* query_key where the hash is a PRF: hash_keyed */
};

/* How full a filter is: the measure of its rate, and how many random keys explain its fill. */
struct survey {
    uint64_t measure;
    double keys;
};

enum { CAPACITY_LOCKS = 64 };

/* How many keys may still come: capacity.h. */
struct capacity {
    uint32_t policy;  /* enum full_policy */
    uint64_t n;       /* planned for; n - spare.keys were counted */
    double tolerance; /* by how much the fill may be that of more or fewer keys */
    uint64_t limit;   /* of the measure */
    struct spare spare;
    uint64_t over;     /* by how much the measure is above its limit: a file can make it so */
    uint64_t not_gone; /* keys that were removed and still are answered to: some of them were counted */
    int measured;      /* spare.measure and over are known */
    unsigned char lock[CAPACITY_LOCKS]; /* of blocks, among threads */
};

/* What its maker says about it: file/note.h. Empty texts and 0: nothing. */
struct note {
    char name[UF_NOTE_NAME_SIZE], comment[UF_NOTE_COMMENT_SIZE];
    uint64_t date;
};

/* The handle. Kinds see `params` (their own struct, at most FILTER_PARAMS bytes) and `words`. */
enum { FILTER_PARAMS = 1024 };

struct uf_filter {
    /* What one query needs comes first. */
    const struct filter_ops *ops;
    int (*query)(const struct uf_filter *filter, uf_key key); /* what uf_query does: set by filter_bind, never NULL */
    int (*add)(struct uf_filter *filter, uf_key key, uf_error *why); /* what uf_add does: changes.c. NULL: ask first */
    struct word_hash word;                                           /* of its hasher, where that is XXH3 */
    uint64_t *words; /* the payload; owned unless mapped, then inside `map` */
    _Alignas(16) unsigned char params[FILTER_PARAMS];

    struct string_hash string; /* as `word` */
    void *tail;                /* ops->tail_bytes of the same memory: tables that follow from params */
    struct filter_calls calls;
    struct mem mem;
    struct hasher hasher;
    size_t word_count;        /* exactly what params imply; 0 for a filter that is nothing but its children */
    uint64_t *table;          /* owned: the words that `table_words` counts, where `words` may change; NULL elsewhere */
    size_t table_size;        /* of it, in words */
    struct uf_filter **child; /* owned: the filters inside this one */
    unsigned children;
    void *map;        /* a mapped file or borrowed bytes, from their first: read-only */
    size_t map_start; /* where the payload begins in it */
    size_t map_bytes; /* of a mapping that this filter owns; 0: its children, and views, borrow it */
    void *attached;   /* owned: what the DCSO format carries behind the filter, kept for saving */
    size_t attached_bytes;
    void *alternative; /* owned: what a learned filter would have been, when this one was smaller (learned/report.h) */
    size_t alternative_bytes;
    int cpu;                      /* enum uf_cpu, never AUTO */
    int shared;                   /* UF_KNOB_SHARED */
    int early_exit;               /* UF_KNOB_EARLY_EXIT */
    int locked;                   /* keyed, and its key is not there: locked.h */
    int test_random;              /* private, and its noise came from the context's own randomness: no promise */
    int counted;                  /* its n came from the keys, nobody declared it: uf_mark_counted */
    unsigned normal;              /* enum uf_normal: what was done to its keys before they came */
    struct note note;             /* of the filter itself, not of those inside it */
    struct release_mark released; /* how its keys were released; zeros: they were not */
    struct capacity capacity;
    int (*progress)(void *arg, uint64_t done, uint64_t total); /* uf_set_progress; of the filter itself alone */
    void *progress_arg;
};

/* The kind's own parameters, kept inside the handle. */
#define PARAMS(type, filter) ((type *)(void *)(filter)->params)
#define CONST_PARAMS(type, filter) ((const type *)(const void *)(filter)->params)

/* What a filter was planned for. k and fpr are those of kinds that grow; 0 for others. */
struct planned {
    uint64_t n;
    unsigned k;
    double fpr;
};

/* What a builder has so far, in the one of three forms that it goes by; the others are NULL. */
struct partial {
    uint64_t total;             /* keys that came */
    struct uf_filter *filter;   /* they are in it */
    struct hash_runs *runs;     /* or their hashes are kept */
    struct scored_list *scored; /* or their hashes with scores, by: */
    const uf_learning *learning;
};

/* How a filter is built from batches of keys. `state` is the builder's own. */
struct builder_ops {
    /* Borrows everything but the spec until it is freed. */
    int (*start)(const struct filter_ops *ops, const struct spec *want, const struct hasher *hasher,
                 const uf_context *ctx, void **state, uf_error *why);

    /* From any number of threads. A failure comes again, with words, from finish. */
    int (*add)(void *state, const struct key_batch *batch, size_t count);

    /* Hands out the filter, and how many keys came. */
    int (*finish)(void *state, uf_filter **out, uint64_t *total, uf_error *why);

    /* While nobody adds. Lends what came so far; `out` is zeros, and stays so when no key did. */
    int (*lend)(void *state, struct partial *out, uf_error *why);

    /* Takes keys of a builder with an equal spec and hasher. What was kept moves here, or is copied when it lies in
     * another allocator's memory; a filter is read. */
    int (*take)(void *state, const struct partial *from, uf_error *why);
    void (*free)(void *state); /* NULL is fine */
};

struct filter_ops {
    const char *name;
    const char *about;        /* one line for help */
    const char *const *names; /* parameters a spec may have, NULL-terminated; "seed" is always allowed */
    uint16_t id;              /* in files: never renumber */
    enum hash_kind hash;
    int declared; /* private: n is a capacity that someone declared, never the number of keys, which stays secret */
    const char *coins; /* private: the word that they are derived with under a label; another for every use of them */
    int keyed;         /* by nature: its hash is always a keyed one, and it is never inside "keyed(...)" */
    int series;        /* nothing but filters of one kind inside, of which the last takes keys: series.h */
    int copies;        /* private copies can be made of it (uf_release), so that it keeps whether its n was declared */
    unsigned block_bits; /* the k bits of a key are in one block of so many; 0: all over the array */
    int own_claim;       /* what it promises is the same with a key inside "keyed(...)" as without */

    size_t tail_bytes; /* behind the handle, for tables that are too large for its params; 0: none */

    int leaves_cells; /* removed keys leave cells behind that count no longer: the fill is that of more keys */

    /* Kinds that learned filters can be made of: bits per key for each halving of the rate, near a rate of 1 %. 0: they
     * cannot. */
    double child_factor;

    /* Learned kinds: what they do with scores (kinds/learned.h). NULL for all others. */
    const struct learned_traits *learned;

    /* Kinds that are built from the keys themselves, not from hashes: how. NULL: solve or inserts. */
    const struct builder_ops *builder;

    /* Mandatory, where a spec can name the kind. Resolves every number of `spec` in place. n may be missing only when
     * the builder asks again later. */
    int (*plan)(const struct filter_ops *ops, struct spec *spec, uf_error *why);

    /* Likewise. Sets params from a plan, and word_count. Allocates nothing. */
    int (*shape)(struct uf_filter *filter, const struct spec *plan, uf_error *why);

    /* Mandatory: query and query_many. Kinds that grow: add_many and add. Kinds that can be split: apply, which does
     * items of one group. Kinds that can be full: add_within and add_one_within. The rest is NULL. */
    struct filter_calls calls;

    /* Kinds that look at the keys themselves, not only at their hashes, have these instead of calls. */
    int (*query_key)(const struct uf_filter *filter, uf_key key);
    void (*query_keys)(const struct uf_filter *filter, const uf_key *keys, size_t count, uint8_t *answers);

    /* Optional. Replaces filter->calls by those for filter->cpu; called once params are known. */
    void (*bind)(struct uf_filter *filter);

    /* Optional, kinds that grow: add_many with several writers and readers at once (atomic OR). Of those that add one
     * new key at the same time at least one hears that it was new. */
    void (*add_shared)(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict);

    /* Optional, kinds that grow but may have to leave keys out: inserts without verdicts, and returns how many it left
     * out. Used instead of add_many and add_shared where nobody asks, but not in builds, which start empty. */
    uint64_t (*admit)(struct uf_filter *filter, struct hash_source *source, size_t count);

    /* Parts of a filter, which also have `admit`: moves the hashes of keys that belong here to the front, and returns
     * how many they are. Others are refused with UF_EPART. */
    size_t (*own)(const struct uf_filter *filter, struct hash128 *hash, size_t count);

    /* Optional. Takes keys out one after the other, by one writer without readers. verdicts[i] becomes UF_OK,
     * UF_EABSENT (query says no) or UF_ESTUCK; a key that is refused changes nothing. Returns by how much the measure
     * of the rate fell. */
    uint64_t (*remove_many)(struct uf_filter *filter, struct hash_source *source, size_t count, signed char *verdicts);

    /* Optional: how often a key is in it, at most. */
    unsigned (*count)(const struct uf_filter *filter, struct hash128 hash);

    /* Optional, kinds that grow: inserts split by place (scatter.h), for parallel builds. Places are below
     * places(filter), and any two of them are different words. */
    uint64_t (*places)(const struct uf_filter *filter);
    void (*scatter)(const struct uf_filter *filter, struct hash_source *source, size_t count, const struct scatter *to);

    /* Static kinds whose `shape` does not set word_count: the most words that a filter of this plan takes. NULL: shape
     * does. */
    int (*most_words)(const struct spec *plan, uint64_t *words, uf_error *why);

    /* Static kinds: all keys at once. Sets params, word_count and words. NULL for kinds that grow. */
    int (*solve)(struct uf_filter *filter, const struct spec *plan, struct hash_runs *runs, const uf_context *ctx,
                 uf_error *why);

    /* Optional, private kinds that can be made from an exact filter: `adapt` completes the request from what that
     * filter is, or says why it cannot be; `release` copies it into the words, which are there, with noise. */
    int (*adapt)(struct spec *how, const struct uf_filter *exact, uf_error *why);
    int (*release)(struct uf_filter *filter, const struct uf_filter *exact, const uf_context *ctx, uf_error *why);

    /* Mandatory. What it was planned for. Params are known, words may not be. */
    void (*capacity)(const struct uf_filter *filter, struct planned *out);

    /* Kinds that grow and can be full (capacity.h): how full it is, in one pass over its words; and the limit of the
     * measure, which is called once params are known and may keep there what inserts need. */
    void (*survey)(const struct uf_filter *filter, struct survey *out);
    uint64_t (*limit)(struct uf_filter *filter);

    /* Likewise: the rate at that limit, which n keys that nobody chose exceed in one of 10^9 filters, and nobody at all
     * in one that refuses. */
    double (*most_rate)(const struct uf_filter *filter);

    /* Optional, kinds that can be full and keep what was removed: UF_EFULL when that is more than it takes, as it can
     * be after a union, or in bytes that someone altered. */
    int (*check_removed)(const struct uf_filter *filter, uf_error *why);

    /* Optional, kinds that can be full and remove: the most different keys that there can be in it. One pass. */
    uint64_t (*most_keys)(const struct uf_filter *filter);

    /* Optional, of a series: adds one child more, with more capacity. */
    int (*grow)(struct uf_filter *filter, uf_error *why);

    /* Optional. Union of two filters whose plans (`describe`) and hashers are equal, of `count` words from `first`; it
     * is called for all words in their order, and may be given up in between. NULL: merging is refused. */
    void (*merge)(struct uf_filter *into, const struct uf_filter *from, size_t first, size_t count);

    /* Mandatory. Params to and from bytes: one canonical encoding. `decode` sets params and word_count, refuses
     * numbers that no plan makes, and allocates nothing. */
    void (*encode)(const struct uf_filter *filter, struct writer *writer);
    int (*decode)(struct uf_filter *filter, struct reader *reader, uf_error *why);

    /* Kinds with filters inside them: are these the children that params mean? Called when a file is read, with their
     * params known and no words yet. NULL: there are none. */
    int (*adopt)(const struct uf_filter *filter, uf_error *why);

    /* Optional, when a file is read: takes what it needs of the context, such as the caller's scores, or fails. `needs`
     * says whether it cannot answer without: such a filter can be loaded as one without its key can. */
    int (*needs)(const struct uf_filter *filter);
    int (*attach)(struct uf_filter *filter, const uf_context *ctx, uf_error *why);

    /* Kinds whose words say where other words are: how many of the first do. They are read through filter_table, which
     * others cannot change once they were checked. NULL: whatever the words are, queries stay inside them. */
    size_t (*table_words)(const struct uf_filter *filter);

    /* Optional. Looks at loaded words: everything that params do not use is zero, every table is in order. */
    int (*check)(const struct uf_filter *filter, uf_error *why);

    /* Mandatory. A plan from which a twin is built (without the seed); figures; what is promised. */
    void (*describe)(const struct uf_filter *filter, struct spec *plan);
    void (*info)(const struct uf_filter *filter, uf_info *out);
    void (*claim)(const struct uf_filter *filter, uf_claim *out);
};

/* A kind's own struct. The linker sees it with the prefix of inner names (core/namespace.h), which a new kind thus gets
 * by being declared. */
#define DECLARE_KIND(kind) extern const struct filter_ops kind_##kind __asm__("ufi_kind_" #kind);

#endif
