/* SPDX-License-Identifier: MIT */
/*
 * UltraFilter: approximate set membership, from a small file.
 *
 *     spec (what you want) -> plan (every number resolved) -> filter (answers queries)
 *
 *     uf_spec spec;
 *     uf_filter *filter;
 *     uf_spec_parse("blocked:n=1e6,fpr=0.01", &spec, NULL);
 *     uf_build(&spec, keys, count, NULL, &filter, NULL);
 *     if (uf_query(filter, (uf_key){"alice", 5})) ...
 *     uf_free(filter);
 *
 * Conventions: a function that can fail returns UF_OK (0) or a negative enum uf_status, and leaves
 * its outputs untouched when it fails. `uf_error *why` may be NULL; otherwise it receives one
 * sentence that names the value at fault and what to do. `const uf_context *ctx` may be NULL for
 * the defaults. The caller owns every argument; what a function hands out through `out` belongs to
 * the caller and is given back with the matching free function.
 *
 * Threads: any number may query one filter. Inserts need one writer and no readers at a time,
 * unless uf_tune(filter, UF_KNOB_SHARED, 1) was called. Removals need one writer and no readers always.
 */
#ifndef ULTRAFILTER_H
#define ULTRAFILTER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define UF_API __attribute__((visibility("default")))
#else
#define UF_API
#endif

#define UF_VERSION "0.1.0"

/* The version of the library that is linked, as UF_VERSION is of this header. */
UF_API const char *uf_version(void);

/* ------------------------------------------------------------------ status */

/* Numbers are frozen: new ones are added at the end, none is reused. */
enum uf_status {
    UF_OK = 0,
    UF_EINVAL = -1,       /* an argument or a spec makes no sense */
    UF_ENOMEM = -2,       /* the allocator said no, or the size does not fit this machine */
    UF_EIO = -3,          /* the system refused to read or write */
    UF_EFORMAT = -4,      /* the bytes are not a valid filter: cut, altered, or something else */
    UF_EVERSION = -5,     /* a filter of a newer format, or with a feature this library lacks */
    UF_EUNSUPPORTED = -6, /* this kind cannot do that */
    UF_EFULL = -7,        /* no room for more keys */
    UF_EMISMATCH = -8,    /* two filters that do not fit together */
    UF_EIMPOSSIBLE = -9,  /* no design meets the wish; the text says what would be possible */
    UF_ERANDOM = -10,     /* no randomness from the system */
    UF_EBUILD = -11,      /* the equations of a static filter could not be solved */
    UF_EREADONLY = -12,   /* a mapped filter cannot change */
    UF_ECANCELED = -13,   /* the progress callback asked to stop */
    UF_EABSENT = -15,     /* the key is not in the filter */
    UF_ESTUCK = -16       /* what the filter answers to this key cannot change any more */
};

/* A short phrase for a status, "unknown status" for any other number. Never NULL. */
UF_API const char *uf_status_text(int status);

typedef struct uf_error {
    int status;
    char text[400]; /* one sentence, NUL-terminated, no newline */
} uf_error;

/* ----------------------------------------------------------------- context */

/* A key is bytes with a length: text, binary, empty, all the same. */
typedef struct uf_key {
    const void *data;
    size_t size;
} uf_key;

/* Both callbacks or neither. `align` is a power of two; `bytes` is what was asked for. */
typedef struct uf_allocator {
    void *(*alloc)(void *arg, size_t bytes, size_t align); /* NULL when there is none */
    void (*release)(void *arg, void *memory, size_t bytes);
    void *arg;
} uf_allocator;

/* Which implementation to run. A path the machine lacks is refused with UF_EUNSUPPORTED. */
enum uf_cpu { UF_CPU_AUTO = 0, UF_CPU_SCALAR = 1, UF_CPU_NEON = 2, UF_CPU_AVX2 = 3 };

/* Everything a call may need from its surroundings. Start from UF_CONTEXT_INIT. */
typedef struct uf_context {
    size_t size;            /* sizeof(uf_context): lets later versions add fields */
    uf_allocator allocator; /* zeros: the system's memory, on huge pages where it gives them */
    unsigned threads;       /* for building and loading; 0 and 1 mean no extra thread */
    int cpu;                /* enum uf_cpu */
    /* Told now and then how far a long call is (total 0 when unknown); non-zero stops it. May be
     * called from any of the threads, one at a time. */
    int (*progress)(void *arg, uint64_t done, uint64_t total);
    void *progress_arg;
    /* Fills `out` with `bytes` random bytes, 0 on success. NULL: the system's. For tests. */
    int (*random)(void *arg, void *out, size_t bytes);
    void *random_arg;
} uf_context;

#define UF_CONTEXT_INIT                                           \
    {                                                             \
        sizeof(uf_context), {0, 0, 0}, 1, UF_CPU_AUTO, 0, 0, 0, 0 \
    }

/* -------------------------------------------------------------------- spec */

/*
 * What you want, as text: "kind:name=value,name=value". Numbers may be written 1000000 or 1e6.
 * A spec is a plain value; copy it freely.
 *
 *   bloom    classic Bloom filter             n fpr bits bits_per_key k seed
 *   blocked  one cache line per key, fastest  n fpr bits bits_per_key k seed
 *   ribbon   static, near the space limit     n fpr bits bits_per_key band slack seed
 *   dcso     the format of DCSO's bloom tool  n fpr
 *
 *   and with uf_remove (docs/kinds.md#removing-keys):
 *   counting   counters of 4 bits               n fpr bits bits_per_key k seed
 *   deletable  bits, and which of them clash    n fpr bits bits_per_key k region seed
 *   tombstone  a second filter of removed keys  n fpr bits bits_per_key k removed fnr removed_bits removed_k seed
 *
 * Any two of n, bits (or bits_per_key) and fpr give the third; fpr is 0.001 when only n is said.
 */
typedef struct uf_spec {
    char text[512];
} uf_spec;

/* Checks the grammar, the kind and the names, and writes the spec in canonical form. */
UF_API int uf_spec_parse(const char *text, uf_spec *out, uf_error *why);

/* Sets one parameter, or removes it when value is NULL. */
UF_API int uf_spec_set(uf_spec *spec, const char *name, const char *value, uf_error *why);

/* Reads one numeric parameter. UF_EINVAL when the spec does not have it. */
UF_API int uf_spec_get(const uf_spec *spec, const char *name, double *out);

/* Resolves every number, or says what is impossible and what would be possible. `plan` may be
 * `want`. A plan is a spec again: uf_build takes either. */
UF_API int uf_plan(const uf_spec *want, uf_spec *plan, uf_error *why);

/* The kinds this library has: name by index, NULL past the last; one line about a kind, NULL when
 * there is no such kind. */
UF_API const char *uf_kind_name(size_t index);
UF_API const char *uf_kind_about(const char *kind);

/* ------------------------------------------------------------------- build */

typedef struct uf_filter uf_filter;
typedef struct uf_builder uf_builder;

/* Builds a filter of `count` keys. When the spec has no n, n is count. */
UF_API int uf_build(const uf_spec *want, const uf_key *keys, size_t count, const uf_context *ctx, uf_filter **out,
                    uf_error *why);

/*
 * The same in batches. A kind that grows, with n in its spec, needs the filter's memory and a
 * constant; a static kind, or a spec without n, also needs 16 bytes per key until the end.
 * With ctx->threads > 1, up to that many threads may call the add functions at the same time.
 */
UF_API int uf_builder_new(const uf_spec *want, const uf_context *ctx, uf_builder **out, uf_error *why);
UF_API int uf_builder_add(uf_builder *builder, const uf_key *keys, size_t count);
UF_API int uf_builder_add_fixed(uf_builder *builder, const void *keys, size_t key_bytes, size_t count);
/* Ends the build. The builder is empty afterwards and is freed with uf_builder_free either way. */
UF_API int uf_builder_finish(uf_builder *builder, uf_filter **out, uf_error *why);
UF_API void uf_builder_free(uf_builder *builder);

/* ----------------------------------------------------------------- queries */

/* 1: maybe in the set; 0: not in the set. Cannot fail. */
UF_API int uf_query(const uf_filter *filter, uf_key key);

/* The fast path: hashed ahead and prefetched. answers[i] is 1 or 0. */
UF_API void uf_query_many(const uf_filter *filter, const uf_key *keys, size_t count, uint8_t *answers);

/* Keys of one width, back to back: answers are those of uf_query on the same bytes. */
UF_API void uf_query_fixed(const uf_filter *filter, const void *keys, size_t key_bytes, size_t count, uint8_t *answers);

/* ----------------------------------------------------------------- changes */

/* UF_ESTUCK, kind tombstone only: of these keys some were removed before and stay so; the others are in. */
UF_API int uf_insert(uf_filter *filter, uf_key key);
UF_API int uf_insert_many(uf_filter *filter, const uf_key *keys, size_t count);
UF_API int uf_insert_fixed(uf_filter *filter, const void *keys, size_t key_bytes, size_t count);

/*
 * Takes a key out again. UF_EABSENT: it is certainly not in the filter. UF_ESTUCK: it cannot be taken out any more and
 * still answers 1. Either way nothing has changed. Remove only what was inserted: a key that the filter merely takes
 * for a member cannot be told from one, and removing it may hide others. UF_EUNSUPPORTED for kinds that cannot
 * remove, and while UF_KNOB_SHARED is on.
 */
UF_API int uf_remove(uf_filter *filter, uf_key key);

/* Many, one after the other. removed[i] is 1, or 0 where key i was refused; `removed` may be NULL. UF_OK when none was
 * refused, otherwise the status of the first that was: the others are out all the same. */
UF_API int uf_remove_many(uf_filter *filter, const uf_key *keys, size_t count, uint8_t *removed);
UF_API int uf_remove_fixed(uf_filter *filter, const void *keys, size_t key_bytes, size_t count, uint8_t *removed);

/* Makes `into` the union of both. They must be twins: equal parameters and an equal seed. A key counts as often as
 * both have it together (counting, deletable); removed from one is removed from both (tombstone). */
UF_API int uf_merge(uf_filter *into, const uf_filter *from, uf_error *why);

enum uf_knob {
    UF_KNOB_SHARED = 1,    /* 1: any number of threads may insert and query at once (atomic OR) */
    UF_KNOB_EARLY_EXIT = 2 /* 1: stop at the first zero bit; faster, but time then tells where */
};
UF_API int uf_tune(uf_filter *filter, int knob, int value);

/* ------------------------------------------------------------ what is known */

typedef struct uf_info {
    const char *kind;
    uint64_t bytes;        /* of the payload in memory */
    uint64_t bits;         /* that carry information */
    uint64_t capacity;     /* the n it was planned for */
    double count_estimate; /* keys in it, from the fill; NaN when the kind does not tell */
    double fill;           /* share of ones (of used slots for static kinds); NaN likewise */
    double fpr_now;        /* false-positive rate at this fill; NaN likewise */
    /* Kinds that remove; NaN for the others and where it does not apply. */
    double fnr_now;          /* share of members that the removed keys hide */
    double removed_estimate; /* keys in the filter of removed keys */
    double deletable_share;  /* share of keys that can be removed; an estimate */
    double copies;           /* keys, each as often as it was inserted; exact while no counter is full */
    double saturated;        /* counters that are full and never fall again */
} uf_info;

/* Counts the fill: one pass over the filter. */
UF_API void uf_get_info(const uf_filter *filter, uf_info *out);

/* A spec with every number and the seed: what uf_build needs to make a twin for uf_merge. */
UF_API void uf_get_plan(const uf_filter *filter, uf_spec *out);

/* What the filter promises. The strings are constant and live as long as the library. */
typedef struct uf_claim {
    double epsilon; /* NaN: not private */
    double delta;
    double fpr; /* at capacity, over fresh keys that nobody chose after seeing the filter */
    double fnr;
    const char *unit;          /* what epsilon counts, or "none" */
    const char *adversary;     /* against whom fpr holds */
    const char *not_protected; /* in plain words */
    const char *proof;         /* where the reason is written: file#section of docs/ */
} uf_claim;

UF_API void uf_get_claim(const uf_filter *filter, uf_claim *out);

/* ------------------------------------------------------------------- files */

/* How to load or save; or-ed together. */
enum uf_how {
    UF_FORMAT_UF = 0,   /* docs/format.md */
    UF_FORMAT_DCSO = 1, /* DCSO bloom v1, the kind "dcso" only */
    UF_MAP = 256        /* load: map the file instead of reading it; the payload's checksums are
                           then checked only by uf_verify, and a file cut meanwhile kills the process */
};

/* Replaces `path` atomically: the old file or the whole new one, whatever happens. */
UF_API int uf_save(const uf_filter *filter, const char *path, unsigned how, uf_error *why);

/* The same bytes through a callback, which returns 0 or stops the writing with UF_EIO. */
UF_API int uf_write(const uf_filter *filter, unsigned how, int (*put)(void *arg, const void *data, size_t bytes),
                    void *arg, uf_error *why);

/* Validates everything, then hands out a filter. Allocates no more than the file has. */
UF_API int uf_load(const char *path, unsigned how, const uf_context *ctx, uf_filter **out, uf_error *why);
UF_API int uf_load_bytes(const void *data, size_t bytes, unsigned how, const uf_context *ctx, uf_filter **out,
                         uf_error *why);

/* Checks the payload of a mapped filter against its checksums. UF_OK at once for others. */
UF_API int uf_verify(const uf_filter *filter, uf_error *why);

/* Wipes, then frees. NULL is fine. */
UF_API void uf_free(uf_filter *filter);

#ifdef __cplusplus
}
#endif

#endif
