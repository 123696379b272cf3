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
 * Conventions: a function that can fail returns UF_OK (0) or a negative enum uf_status, and leaves its outputs
 * untouched when it fails. `uf_error *why` may be NULL; otherwise it receives one sentence that names the value at
 * fault and what to do, and is empty when the call succeeds. `const uf_context *ctx` may be NULL for the defaults. The
 * caller owns every argument; what a function hands out through `out` belongs to the caller and is given back with the
 * matching free function.
 *
 * Structs may get more fields at their end. A function that fills one in takes `size`, the caller's sizeof *out: it
 * writes no more than that, and zeroes what the caller knows and the library does not. A struct that is handed in
 * starts with its size, set by its initializer: a program that sets something which the library is too old for gets
 * UF_EVERSION. uf_key, uf_spec, uf_error, uf_allocator, uf_verify_key and uf_digest stay as they are.
 *
 * Callbacks return: a longjmp out of one leaks the memory that the call holds.
 *
 * Threads: any number may query one filter. Inserts need one writer and no readers at a time, and two writers lose keys
 * of each other, unless uf_tune(filter, UF_KNOB_SHARED, 1) was called. Then any number may insert, add and query, and
 * what reads the whole filter may run beside them: uf_save, uf_write, uf_fingerprint, uf_copy, uf_get_info,
 * uf_get_claim, uf_merge from it, uf_release and uf_distance work on a snapshot. It has every key whose insert had
 * returned before the call began, and perhaps some of those that come meanwhile; a file of it loads, and its count is
 * that of the beginning. All but the first three take as much memory as the filter for it (UF_ENOMEM). Removing keys,
 * and merging into it, are refused meanwhile (UF_EUNSUPPORTED); uf_tune, uf_unlock, uf_set_progress and uf_free wait
 * until nobody does anything.
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

/* Bytes of the texts that are handed out, with the NUL at their end. */
#define UF_KEY_ID_SIZE 17
#define UF_FINGERPRINT_SIZE 33
#define UF_UNIVERSE_KEY_SIZE 24
#define UF_LABEL_SIZE 64
#define UF_DATE_SIZE 21

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
    UF_EFULL = -7,        /* more keys than it was planned for, and it refuses them */
    UF_EMISMATCH = -8,    /* two filters that do not fit together */
    UF_EIMPOSSIBLE = -9,  /* no design meets the request; the text says what would be possible */
    UF_ERANDOM = -10,     /* no randomness from the system */
    UF_EBUILD = -11,      /* the equations of a static filter could not be solved */
    UF_EREADONLY = -12,   /* a mapped filter or a view cannot change */
    UF_ECANCELED = -13,   /* a callback asked to stop */
    UF_EBUDGET = -14,     /* a release that the privacy budget of its data set does not cover */
    UF_EABSENT = -15,     /* the key is not in the filter */
    UF_ESTUCK = -16,      /* what the filter answers to this key cannot change any more */
    UF_EKEY = -17,        /* a keyed filter without the key it was made with, or with another one */
    UF_ESIGNATURE = -18,  /* not signed by whom it should be, or altered since */
    UF_EUNDECLARED = -19, /* its n was counted from its keys and not declared, so that no copy may be published */
    UF_EPART = -20        /* the key belongs to another part of the filter than this one */
};

/* A short phrase for a status, "unknown status" for any other number. Never NULL. */
UF_API const char *uf_status_text(int status);

/* A call that takes one clears it first: after success status and reason are 0, the text is "". Its size is frozen. */
typedef struct uf_error {
    int status;
    int reason;     /* what a callback of yours returned that stopped the call, or errno with UF_EIO; otherwise 0 */
    char text[504]; /* one sentence that names the file or the value, NUL-terminated, no newline */
} uf_error;

/* ----------------------------------------------------------------- secrets */

/*
 * A master key: 32 secret bytes in a file of their own, from which the library derives one key for each use. Whoever
 * has it can undo what it protects; whoever loses it cannot make the same bytes again. It is never in a filter file.
 *
 * In memory it lies between guard pages, read-only, in no core dump, and locked: never swapped out. Where the limit on
 * locked memory (RLIMIT_MEMLOCK) does not allow that, it is not locked and all else holds. Keys that are derived from
 * it for a filter are in the filter's memory, which comes from the context's allocator and is wiped when it is freed.
 */
typedef struct uf_secret uf_secret;

/* A new key file from the system's randomness: mode 0600, on disk and complete, or absent. Replaces nothing. */
UF_API int uf_secret_create(const char *path, uf_error *why);

/* Loads a key file. Refuses a file that other users may open, and one that is not exactly as it was made
 * (docs/format.md#key-files). */
UF_API int uf_secret_load(const char *path, uf_secret **out, uf_error *why);

/* The same from a descriptor, a pipe for example: to its end, whatever its mode. It stays open. */
UF_API int uf_secret_load_fd(int fd, uf_secret **out, uf_error *why);

/* The same from memory, for programs that keep their keys elsewhere: UF_SECRET_BYTES bytes, copied. They must be random
 * ones: a password is none. UF_EINVAL for another number of them. */
#define UF_SECRET_BYTES 32
UF_API int uf_secret_from_bytes(const void *bytes, size_t count, uf_secret **out, uf_error *why);

/* Sixteen hexadecimal digits that tell keys apart, and nothing else about them. They are in every file of a key. */
UF_API void uf_secret_id(const uf_secret *secret, char out[UF_KEY_ID_SIZE]);

/* Wipes, then frees. NULL is fine. */
UF_API void uf_secret_free(uf_secret *secret);

/* ----------------------------------------------------------------- context */

/* A key is bytes with a length: text, binary, empty, all the same. */
typedef struct uf_key {
    const void *data;
    size_t size;
} uf_key;

/* alloc and release, or neither. `align` is a power of two, up to a cache line of 64 bytes; `bytes` is what was asked
 * for. They are called from other threads, too, and from several at once, when the context has more than one. A filter
 * asks them until it is freed, from whatever thread uses it. */
typedef struct uf_allocator {
    void *(*alloc)(void *arg, size_t bytes, size_t align); /* NULL when there is none */
    void (*release)(void *arg, void *memory, size_t bytes);
    void *arg;
    /* NULL, or the same as alloc with zeros in it, for less than clearing it costs: fresh pages of the system. */
    void *(*alloc_zeroed)(void *arg, size_t bytes, size_t align);
} uf_allocator;

/* Which implementation to run. A path the machine lacks is refused with UF_EUNSUPPORTED. */
enum uf_cpu { UF_CPU_AUTO = 0, UF_CPU_SCALAR = 1, UF_CPU_NEON = 2, UF_CPU_AVX2 = 3, UF_CPU_AVX512 = 4 };

/* Everything a call may need from its surroundings. Start from UF_CONTEXT_INIT. */
typedef struct uf_context {
    size_t size;            /* sizeof(uf_context): lets later versions add fields */
    uf_allocator allocator; /* zeros: the system's memory, on huge pages where it gives them */
    unsigned threads;       /* for building and loading; 0 and 1 mean no extra thread */
    int cpu;                /* enum uf_cpu */
    /* Told now and then how far a long call is (total 0 when unknown); non-zero stops it with UF_ECANCELED, and is the
     * reason. May be called from any of the threads, one at a time. */
    int (*progress)(void *arg, uint64_t done, uint64_t total);
    void *progress_arg;
    /* Fills `out` with `bytes` random bytes, 0 on success. NULL: the system's. For tests. */
    int (*random)(void *arg, void *out, size_t bytes);
    void *random_arg;
    /* Keyed filters: needed to build and to load them; the filter keeps keys derived from it, until it is freed.
     * Private kinds: with a label, below. Other filters: seed=derived takes their seed from it, and unasked it does
     * nothing to them. Borrowed until the call, or the builder that was made with it, is done. NULL: none. */
    const uf_secret *secret;
    /* Learned kinds: what they are built from, and where scores come from. Borrowed as the secret is; what `score`
     * needs must live as long as the filter. NULL: none. */
    const struct uf_learning *learning;
    /* For programs with several keys: asked for the secret with this id (uf_secret_id) when a keyed filter is loaded
     * and `secret` is NULL or another one, perhaps more than once. What it returns is borrowed until the call is done;
     * NULL: there is none. */
    const uf_secret *(*secret_by_id)(void *arg, const char *key_id);
    void *secret_arg;
    /* Private kinds, private copies and released sets: the name of a release, up to 63 visible characters without a
     * space; it needs the secret (UF_EKEY) and is not in the file. Coins and seed follow from secret, label, parameters
     * and set: the same release again is the same bytes and costs nothing, another label draws new ones even for the
     * same set. Take a new label for each release: one that is used again for a changed set shows that it changed,
     * which no epsilon covers, and only a ledger can refuse it. Does nothing to other filters. Borrowed as the secret
     * is. NULL: each build and each release has fresh coins. */
    const char *label;
} uf_context;

#define UF_CONTEXT_INIT                                                             \
    {                                                                               \
        sizeof(uf_context), {0, 0, 0, 0}, 1, UF_CPU_AUTO, 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/* -------------------------------------------------------------------- spec */

/*
 * What you want, as text: "kind:name=value,name=value". Numbers may be written 1000000 or 1e6. A spec is a plain value;
 * copy it freely.
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
 * Any two of n, bits (or bits_per_key) and fpr give the third; fpr is 0.001 when only n is said. seed is 0x and up to
 * 16 hexadecimal digits, or the word derived: then it follows from the context's secret and from the parameters as they
 * are written, so that the same keys give the same bytes (without a secret: UF_EKEY; private kinds: with a label
 * only). Otherwise each filter draws its own.
 *
 *   dpset    private, at the accuracy limit   n epsilon count_epsilon bits_per_key prefer variant columns radix
 *                                             accept band slack seed
 *   ultra    private: Bloom filter and noise  n epsilon count_epsilon mechanism hashes bits bits_per_key k t seed
 *
 * prefer is small, fast or accurate; without it dpset weighs size and time (docs/kinds.md#dpset).
 * Private kinds need epsilon, and n is a capacity that you declare: it is public, the number of keys is not. Or say
 * count_epsilon instead of n: then n is a noisy count of the keys, and costs that much on top of epsilon.
 *
 *   learned    a model and one filter         n fpr children seed
 *   sandwich   a filter, a model, a filter    n fpr children seed
 *   partition  a model and several filters    n fpr children regions seed
 *
 * Learned kinds need a context with a uf_learning. children is ribbon, bloom or blocked; regions is 2 to 16.
 *
 *   uptown     a sandwich over permuted keys      n fpr children definition seed prf
 *   downtown   a model and two keyed filters      n fpr alpha children definition seed prf
 *   robust     a model and several keyed filters  n fpr alpha children regions seed prf
 *
 * These always need the context's secret. downtown and robust hold their rate while someone without the key chooses the
 * share alpha of all queries (0.05 when it is not said), model and file at hand (docs/learned.md#under-attack). The
 * model of uptown sees nothing but what a PRF makes of the keys: it is trained by the builder, from the negatives of
 * the uf_learning, and learns nothing, so that one filter is planned; definition=paper insists on a sandwich.
 *
 *   keyed(KIND:...)   any but dcso and the last three, over a PRF of the context's secret       further: prf
 *
 * Any kind that takes inserts but dcso also has full, what it does about more keys than n (docs/kinds.md#full-filters):
 *
 *   full=refuse   it takes n keys and refuses others (UF_EFULL), so that its rate holds. The default of keyed filters.
 *   full=warn     it takes them all, and its rate grows. The default of others.
 *   full=scale    bloom and blocked: it grows, and its rate holds. fpr is that of the whole, n where it starts.
 *
 *   window=G      bloom and blocked: keys expire. It has G generations, 2 to 32, of which uf_rotate drops the oldest.
 *                 fpr is that of the whole, n and bits are those of one generation.
 *
 *   parts=N       blocked: it can be cut into N parts (uf_split), so its size is a multiple of N blocks.
 *   part=P/N      blocked: part P of N, from 0, of the filter with parts=N; n, fpr and bits are those of that one. A
 * key of another part is answered with 0 and refused with UF_EPART; a builder leaves it out (docs/partitions.md).
 *
 * Whoever lacks the key cannot choose keys that a keyed filter errs on, even with the file at hand
 * (docs/threat-model.md): "keyed(blocked:n=1e6,fpr=0.01,prf=aes)". prf is siphash, the default, or aes, which is faster
 * where the processor has instructions for AES. Parameters are set and read as those of the kind inside.
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

/* Reads one parameter as text. UF_EINVAL when the spec does not have it, or `capacity` bytes are too few for it. */
UF_API int uf_spec_get_text(const uf_spec *spec, const char *name, char *out, size_t capacity);

/* The kind; of keyed(KIND:...) the one inside. The text is constant; NULL when there is no such kind. */
UF_API const char *uf_spec_kind(const uf_spec *spec);

/* 1 when filters of this spec need a key: it is keyed(KIND:...), or the kind is always keyed. */
UF_API int uf_spec_is_keyed(const uf_spec *spec);

/* 1 when the spec may have a parameter of this name. */
UF_API int uf_spec_takes(const uf_spec *spec, const char *name);

/* Resolves every number, or says what is impossible and what would be possible. `plan` may be `want`. A plan is a spec
 * again: uf_build takes either. */
UF_API int uf_plan(const uf_spec *want, uf_spec *plan, uf_error *why);

/*
 * Private designs. epsilon is the promise per key: adding or removing one key changes the chance of any file by at most
 * a factor e^epsilon. Nothing beats the limit: FPR + FNR of at least 2 / (1 + e^epsilon).
 */
#define UF_EPSILON_LEAST 0.05
#define UF_EPSILON_MOST 20.0

typedef struct uf_limit {
    double fpr, fnr;   /* of the best file there can be */
    double sum, f1;    /* F1 when half of the queries are members; below epsilon ln 2 "always yes" has the best one */
    double ideal_bits; /* per key: what a dpset takes without spare room, (1 - e^-epsilon) log2(1 + e^epsilon) */
    double least_bits; /* per key: nothing with these errors takes less, epsilon tanh(epsilon / 2) log2 e */
} uf_limit;

/* What a design of dpset is picked for, or-ed together: by default, and with prefer=small, fast or accurate. */
enum uf_prefer { UF_PREFER_DEFAULT = 1, UF_PREFER_SMALL = 2, UF_PREFER_FAST = 4, UF_PREFER_ACCURATE = 8 };

typedef struct uf_design {
    const char *mechanism; /* dpset, ultra, dime, nickel or published; strings are constant */
    const char *variant;   /* of dpset: radix, dyadic or integer; otherwise NULL */
    const char *note;      /* what to know before using it, or NULL */
    int status;            /* when it is not UF_OK there is no such design, and what follows `why` means nothing */
    uf_error why;
    uf_spec spec;        /* for dime and nickel: of the Bloom filter that holds the released set */
    double epsilon;      /* NaN: no differential privacy */
    double fpr, fnr, f1; /* at n keys */
    double bits_per_key; /* of n, as a filter of n has; NaN when n is 0 */
    unsigned k, t;       /* bits per key and how many must be set; 0 where there are none */
    uint64_t universe;   /* of dime and nickel; otherwise 0 */
    uf_spec keep;        /* ultra: of the exact filter to keep for releases of this promise (uf_release); else empty */
    unsigned prefers;    /* dpset: enum uf_prefer; 0: no preference picks it */
    double build_ns;     /* dpset: per key, about, on one core of 2020; to compare, not to rely on. NaN: unknown */
    double query_ns;     /* likewise */
} uf_design;

#define UF_MOST_DESIGNS 20

/*
 * Lists the best design of every mechanism, and of every variant and preference of dpset, for a set of n keys, smallest
 * FPR + FNR first; those without differential privacy come behind all others, and those that are not possible last.
 * bits_per_key 0: dpset takes what it needs and the others 16. universe is how many keys there could be, 0 when it is
 * not known: then dime and nickel are listed for 2 n, 16 n and 1024 n. At most `capacity` designs are written, `size`
 * (sizeof *out) bytes apart; *count is how many there are, at most UF_MOST_DESIGNS.
 */
UF_API int uf_designs(double epsilon, uint64_t n, double bits_per_key, uint64_t universe, uf_design *out, size_t size,
                      size_t capacity, size_t *count, uf_error *why);

/* The limit at an epsilon. UF_EINVAL: there is none at this one. */
UF_API int uf_get_limit(double epsilon, uf_limit *out, size_t size);

/* The kinds this library has: name by index, NULL past the last; one line about a kind, NULL when there is no such
 * kind. */
UF_API const char *uf_kind_name(size_t index);
UF_API const char *uf_kind_about(const char *kind);

/* What a kind can do and needs, or-ed together. */
enum uf_trait {
    UF_TRAIT_INSERTS = 1,            /* takes keys one by one, once it is built */
    UF_TRAIT_REMOVES = 2,            /* uf_remove */
    UF_TRAIT_MERGES = 4,             /* uf_merge of twins */
    UF_TRAIT_GROWS = 8,              /* full=scale */
    UF_TRAIT_REFUSES = 16,           /* full=refuse and full=warn */
    UF_TRAIT_STATIC = 32,            /* built from all keys at once */
    UF_TRAIT_PRIVATE = 64,           /* needs epsilon; n is declared, never counted */
    UF_TRAIT_LEARNED = 128,          /* needs a uf_learning in the context */
    UF_TRAIT_KEYED = 256,            /* always needs a secret in the context */
    UF_TRAIT_KEYABLE = 512,          /* keyed(KIND:...) */
    UF_TRAIT_NEEDS_N = 1024,         /* a plan needs n, or n and bits */
    UF_TRAIT_NEEDS_NEGATIVES = 2048, /* uf_learning.negatives: it trains its own model */
    UF_TRAIT_COPIES = 4096           /* uf_release makes private copies of it */
};

/* The traits of a kind, or-ed together; 0 when there is no such kind. */
UF_API unsigned uf_kind_traits(const char *kind);

/* ------------------------------------------------------------------- build */

typedef struct uf_filter uf_filter;
typedef struct uf_builder uf_builder;

/* Builds a filter of `count` keys. When the spec has no n, n is count. UF_EFULL, with full=refuse: they are more than
 * n. Only a list in which many keys are the same may be longer. */
UF_API int uf_build(const uf_spec *want, const uf_key *keys, size_t count, const uf_context *ctx, uf_filter **out,
                    uf_error *why);

/*
 * The same in batches. A kind that grows, with n in its spec, needs the filter's memory and a
 * constant; a static kind, or a spec without n, also needs 16 bytes per key until the end.
 * With ctx->threads > 1, up to that many threads may call the add functions at the same time; the bytes do not depend
 * on who came first, unless a filter with full=scale grows meanwhile. UF_EFULL comes from uf_builder_finish.
 */
UF_API int uf_builder_new(const uf_spec *want, const uf_context *ctx, uf_builder **out, uf_error *why);
UF_API int uf_builder_add(uf_builder *builder, const uf_key *keys, size_t count, uf_error *why);
UF_API int uf_builder_add_fixed(uf_builder *builder, const void *keys, size_t key_bytes, size_t count, uf_error *why);
/* Keys of a column, as uf_query_offsets takes them. UF_EINVAL: offsets fall, and none of the keys was added. */
UF_API int uf_builder_add_offsets(uf_builder *builder, const void *bytes, const void *offsets, int offset_bytes,
                                  size_t count, uf_error *why);
/* Ends the build. The builder is empty afterwards and is freed with uf_builder_free either way. */
UF_API int uf_builder_finish(uf_builder *builder, uf_filter **out, uf_error *why);
UF_API void uf_builder_free(uf_builder *builder);

/*
 * Builders that fill up apart, such as those of a parallel aggregate, and become one:
 *
 *     uf_builder_new(&spec, &context, &first, &why);        draws a seed, unless the spec has one
 *     uf_builder_get_spec(first, &spec);                    the same with that seed
 *     uf_builder_new(&spec, &context, &second, &why);       ... and keys are added to both
 *     uf_builder_merge(first, second, &why);
 *     uf_builder_finish(first, &filter, &why);              the same bytes as from one builder with all keys
 *
 * (dcso has the same bits but another count, which tells the order of keys.) The spec needs no n: then it is the number
 * of all keys together.
 */
UF_API int uf_builder_get_spec(const uf_builder *builder, uf_spec *out);

/*
 * Moves all keys of `from` into `into`. `from` has finished then: its memory is given back, and it is freed as always.
 * UF_EMISMATCH: their specs, seeds, keys or models are not equal; the text says what differs. UF_EUNSUPPORTED: a spec
 * with full=scale and a size (n or bits); leave out the size. Nobody may add to either meanwhile. After a failure both
 * are as they were, but when the progress callback of `into` stopped it (UF_ECANCELED) `into` takes no more.
 */
UF_API int uf_builder_merge(uf_builder *into, uf_builder *from, uf_error *why);

/* ----------------------------------------------------------------- queries */

/* Asks about one key. 1: maybe in the set; 0: not in the set. Cannot fail. */
UF_API int uf_query(const uf_filter *filter, uf_key key);

/* Asks about many keys, the fast path: hashed ahead and prefetched. answers[i] is 1 or 0. */
UF_API void uf_query_many(const uf_filter *filter, const uf_key *keys, size_t count, uint8_t *answers);

/* Asks about keys of one width, back to back: answers are those of uf_query on the same bytes. */
UF_API void uf_query_fixed(const uf_filter *filter, const void *keys, size_t key_bytes, size_t count, uint8_t *answers);

/*
 * Asks about a column of strings, as Apache Arrow has them: key i is bytes[offset i .. offset i + 1). There are count +
 * 1 offsets, signed integers of 4 or 8 bytes in this machine's order, in any alignment; the first need not be 0. No
 * array of uf_key is made. UF_EINVAL: offset_bytes is another, or an offset is negative or smaller than the one before
 * it; then no answer was written.
 */
UF_API int uf_query_offsets(const uf_filter *filter, const void *bytes, const void *offsets, int offset_bytes,
                            size_t count, uint8_t *answers);

/* How often a key is in a filter of kind counting. Never too few, but that 15 stands for 15 and more; too many when
 * other keys fell on all of its counters. UF_EUNSUPPORTED: another kind; UF_EKEY: it is locked. */
UF_API int uf_count(const uf_filter *filter, uf_key key);

/* A blocked filter as uf_view_query64 of ultrafilter_inline.h sees it, which asks for a number without a call. */
#define UF_VIEW_LAYOUT 1 /* of filters: what is compiled into programs never changes under one number */
typedef struct uf_view {
    const uint64_t *words; /* the filter's own */
    uint64_t blocks, flip;
    uint32_t k, layout;
} uf_view;

/*
 * Looks into a blocked filter that has no key, for queries that are inlined. The view shows what is inserted later, by
 * the same thread; where several threads share the filter, take uf_query. It ends with the filter, and with every call
 * that puts other words in their place: uf_free, uf_merge, uf_unlock. UF_EUNSUPPORTED: another kind, with a key, a
 * window or full=scale, or a layout that this library does not have; take uf_query then.
 */
UF_API int uf_get_view(const uf_filter *filter, unsigned layout, uf_view *out, size_t size);

/* ----------------------------------------------------------------- changes */

/*
 * Adds keys to a filter, for good unless its kind removes.
 *
 * UF_EFULL, with full=refuse: the filter is full and refused some of these keys, which answer as before; the others are
 * in. It is full when it has the n keys that it was planned for, or when a key would raise its rate above a limit that
 * n keys do not reach unless someone chose them (docs/kinds.md, Full filters). A key that it answers to already does
 * not count and is never refused. Memory does not grow, however often it is tried. With full=scale it grows: UF_ENOMEM
 * when it cannot, and then some of the keys are in and the filter is whole. UF_ESTUCK, kind tombstone only: of these
 * keys some were removed before and stay so; the others are in. UF_EUNSUPPORTED for kinds that are built once, private
 * filters and released sets; UF_EREADONLY for mapped ones. UF_ECANCELED: the filter's progress callback stopped it, and
 * the keys before that are in.
 */
UF_API int uf_insert(uf_filter *filter, uf_key key, uf_error *why);
UF_API int uf_insert_many(uf_filter *filter, const uf_key *keys, size_t count, uf_error *why);
UF_API int uf_insert_fixed(uf_filter *filter, const void *keys, size_t key_bytes, size_t count, uf_error *why);
UF_API int uf_insert_offsets(uf_filter *filter, const void *bytes, const void *offsets, int offset_bytes, size_t count,
                             uf_error *why);

/*
 * The same, and tells whether the keys were new, for no further hash and no further look at memory: 1 it was new, and
 * is in now; 0 the filter answered to it already, because it is in or is taken for one that is. Kinds that remove count
 * a known key once more. Among threads that share a filter and add one new key at the same time, at least one hears 1.
 */
UF_API int uf_add(uf_filter *filter, uf_key key, uf_error *why); /* 1, 0 or a negative status */

/* verdict[i] is 1, 0 or the status for which key i is not in: UF_EFULL, UF_ESTUCK, UF_ENOMEM or, when it was not
 * reached, UF_ECANCELED. Keys count in their order: of one that comes twice the first is new. Returns UF_OK, or the
 * worst of these, as uf_insert_many does; after any other failure nothing was added and no verdict written. */
UF_API int uf_add_many(uf_filter *filter, const uf_key *keys, size_t count, int8_t *verdict, uf_error *why);
UF_API int uf_add_fixed(uf_filter *filter, const void *keys, size_t key_bytes, size_t count, int8_t *verdict,
                        uf_error *why);
UF_API int uf_add_offsets(uf_filter *filter, const void *bytes, const void *offsets, int offset_bytes, size_t count,
                          int8_t *verdict, uf_error *why);

/*
 * Takes a key out again. UF_EABSENT: it is certainly not in the filter. UF_ESTUCK: it cannot be taken out any more and
 * still answers 1. UF_EFULL, kind tombstone with full=refuse: as many were removed as it was planned for. In each case
 * nothing has changed. Remove only what was inserted, and only as often: a key that the filter merely takes for a
 * member, one that was removed before among them, cannot be told from one, and removing it may hide others (uf_claim
 * says what holds then). UF_EUNSUPPORTED for kinds that cannot remove, and while UF_KNOB_SHARED is on.
 */
UF_API int uf_remove(uf_filter *filter, uf_key key, uf_error *why);

/* Many, one after the other. removed[i] is 1, or 0 where key i was refused or not reached; `removed` may be NULL. UF_OK
 * when none was refused, otherwise the status of the first that was: the others are out all the same. UF_ECANCELED: the
 * filter's progress callback stopped it, and the keys before that are dealt with. */
UF_API int uf_remove_many(uf_filter *filter, const uf_key *keys, size_t count, uint8_t *removed, uf_error *why);
UF_API int uf_remove_fixed(uf_filter *filter, const void *keys, size_t key_bytes, size_t count, uint8_t *removed,
                           uf_error *why);

/*
 * Filters with window=G: drops the oldest generation, with all keys that are in no other, and starts an empty one. New
 * keys go there, and so does a key that only older generations have, when it comes again: uf_add then says 0, as it was
 * known. With full=refuse it is refused like any other when the newest is full. UF_EUNSUPPORTED: it has no window.
 */
UF_API int uf_rotate(uf_filter *filter, uf_error *why);

/* Makes `into` the union of both. They must be twins: equal parameters, an equal seed, and the same key or none. A key
 * counts as often as both have it together (counting, deletable); removed from one is removed from both (tombstone).
 * UF_EFULL, when `into` has full=refuse: both together are too many keys, or would raise its rate above its limit, by
 * their bits and whatever a file says; nothing has changed. Keys that both have count twice until the bits tell.
 * UF_EUNSUPPORTED for filters with full=scale or a window, and while `into` has UF_KNOB_SHARED on. */
UF_API int uf_merge(uf_filter *into, const uf_filter *from, uf_error *why);

/*
 * Part `index` of `parts` of a blocked filter, counted from 0, with its bits, its hash and, when it refuses, its share
 * of what was counted: the same as one built with part=index/parts in the spec, of the same seed. UF_EMISMATCH: the
 * blocks of the filter are no multiple of `parts`, as they are with parts=N in its spec. UF_EUNSUPPORTED: another kind,
 * one that grows or has a window, a released one, or a part.
 */
UF_API int uf_split(const uf_filter *whole, unsigned parts, unsigned index, const uf_context *ctx, uf_filter **out,
                    uf_error *why);

/* The whole, from all of its parts in any order: byte for byte what one build of all keys makes, but that what a filter
 * with full=refuse has counted may be other where many keys came twice. UF_EMISMATCH: a part is missing or there twice,
 * or they are not of one whole; the text says which. Needs no key. */
UF_API int uf_join(const uf_filter *const *parts, size_t count, const uf_context *ctx, uf_filter **out, uf_error *why);

/*
 * A private copy of an exact filter, which its owner keeps and may go on filling: how is "ultra:epsilon=3", exact a
 * bloom filter. Its n and size become public: UF_EUNDECLARED when they were counted from the keys, UF_EUNSUPPORTED when
 * they are those of a released set. epsilon is shared by
 * the k bits of a key, so that a filter made for exact answers gives a poor copy: build it with uf_design.keep. The
 * copy takes no inserts. Each release costs epsilon again, but for one with the same label of an unchanged filter.
 */
UF_API int uf_release(const uf_filter *exact, const uf_spec *how, const uf_context *ctx, uf_filter **out,
                      uf_error *why);

/* Says that the n of a filter came from its keys, for programs that count before they build, or take n from the plan of
 * a filter that was counted (uf_info.declared). What uf_build and uf_builder count themselves is marked already;
 * copies, files and unions keep the mark, and nothing takes it away. */
UF_API void uf_mark_counted(uf_filter *filter);

/* An independent twin in the context's memory, with all filters inside it; of a mapped filter or a view, too. It has
 * the knobs of the filter, no progress callback, and is locked when that is. */
UF_API int uf_copy(const uf_filter *filter, const uf_context *ctx, uf_filter **out, uf_error *why);

/*
 * Told now and then how far a call on this filter is; non-zero stops it: UF_ECANCELED, with that number as the reason.
 *
 *   uf_save, uf_write, uf_merge (into it), uf_fingerprint, uf_copy, uf_verify: in bytes, at least once a MiB. When they
 *   are stopped everything is as it was; uf_merge needs a copy of the filter for that.
 *   uf_insert_, uf_add_ and uf_remove_ with many keys: in keys, every 16384 of them, and not after the last. What was
 *   done stays. Threads that share the filter call it each for itself.
 *
 * NULL: nobody. What builds or loads has the context's.
 */
UF_API void uf_set_progress(uf_filter *filter, int (*progress)(void *arg, uint64_t done, uint64_t total), void *arg);

/* Turns a knob of a filter. UF_EUNSUPPORTED: this kind does not have it. */
enum uf_knob {
    UF_KNOB_SHARED = 1,    /* 1: any number of threads may insert, add and query at once (atomic OR); slower */
    UF_KNOB_EARLY_EXIT = 2 /* 1: stop soon after a zero bit; faster, but time then tells where */
};
UF_API int uf_tune(uf_filter *filter, int knob, int value);

/* ----------------------------------------------------------------- digests */

/*
 * What a filter knows of a key: the 128 bits that it hashes the key to, under its own seed or key, the low half first,
 * each half little-endian (docs/format.md#digests). For programs that log, replicate or send keys without showing them,
 * and for clients that hash before they send: a filter does with a digest what it does with the key.
 *
 * What a digest gives away. Of a filter without a key: whoever has the file, and so the seed, can test guesses, as many
 * as he likes; a digest hides a key no better than the filter does. Of a keyed one: to whoever lacks the key, that two
 * digests of one seed are of the same key or of different ones, and nothing else. Other filters of the same key but of
 * another seed have digests that have nothing to do with these. dcso has 64 bits only, and no seed.
 */
typedef struct uf_digest {
    unsigned char bytes[16];
} uf_digest;

/* Makes digests of keys. UF_EUNSUPPORTED: learned filters, which look at the keys themselves; UF_EKEY: it is locked. */
UF_API int uf_digest_many(const uf_filter *filter, const uf_key *keys, size_t count, uf_digest *digests, uf_error *why);

/* Asks about digests that were made with this filter or a twin of it; answers are those of uf_query on their keys.
 * Those of another filter are not noticed, and answered as unknown keys are. A filter that is locked answers, too. */
UF_API int uf_query_digests(const uf_filter *filter, const uf_digest *digests, size_t count, uint8_t *answers,
                            uf_error *why);

/* Adds the keys of digests: as uf_add_many does. `verdict` may be NULL: as uf_insert_many does. Someone who chooses
 * digests chooses bits, key or no key: take them from your own programs only. A filter that is locked takes them, too:
 * a copy follows without the key. */
UF_API int uf_add_digests(uf_filter *filter, const uf_digest *digests, size_t count, int8_t *verdict, uf_error *why);

/* Takes the keys of digests out again: as uf_remove_many does. */
UF_API int uf_remove_digests(uf_filter *filter, const uf_digest *digests, size_t count, uint8_t *removed,
                             uf_error *why);

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
    const char *full; /* about more keys than that: "refuse", "warn" or "scale"; NULL: it has no say (ribbon, dcso) */
    double count;     /* full=refuse: keys that count towards its capacity so far; NaN otherwise */
    unsigned levels;  /* full=scale: filters in its chain, whose capacities add up; otherwise 1 */
    /* 1: the capacity was declared; 0: it was counted from the keys and tells how many they were, or is that of a
     * released set, or the kind is none whose copies are published and does not keep track (bloom and private kinds
     * do). */
    int declared;
    unsigned normal; /* enum uf_normal */
    /* Of a window: count_estimate counts a key in each generation that has it, capacity is that of all, full and count
     * are about the newest. 0: keys do not expire. */
    unsigned generations;
    /* Of a part of a filter (part=P/N): N, and P. capacity is then that of the part. parts 0: it is none. */
    unsigned parts, part;
} uf_info;

/* Counts the fill: one pass over the filter, half a second for a gigabyte. Of one that is shared, over a snapshot:
 * UF_ENOMEM. uf_get_sizes takes none. */
UF_API int uf_get_info(const uf_filter *filter, uf_info *out, size_t size);

/* One generation of a window. */
typedef struct uf_generation {
    double count_estimate; /* keys in it, from the fill */
    double fill, fpr_now;
} uf_generation;

enum { UF_MOST_GENERATIONS = 32 };

/* Those of a filter with window=G, the newest first, `size` (sizeof *out) bytes apart: at most `capacity` are written.
 * UF_EUNSUPPORTED: it has none. Counts the fill. */
UF_API int uf_get_generations(const uf_filter *filter, uf_generation *out, size_t size, size_t capacity);

/* How many keys two filters have, have in common, and have together, estimated from their bits. */
typedef struct uf_overlap {
    double first, second, both, either;
    double first_error, second_error, both_error, either_error; /* standard deviations of these, by chance alone */
} uf_overlap;

/* Of twins (as uf_merge takes them) of kinds bloom, blocked, counting and deletable, of which some keys may have been
 * removed: what a deletable filter could not clear still counts. Needs no key, and memory for a copy. UF_EMISMATCH:
 * they are no twins; UF_EUNSUPPORTED: another kind, a window, or a released filter; UF_EFULL: every bit is set, which
 * tells nothing. */
UF_API int uf_get_overlap(const uf_filter *first, const uf_filter *second, uf_overlap *out, size_t size, uf_error *why);

/* Sizes, at no cost. */
typedef struct uf_sizes {
    uint64_t memory_bytes;  /* that it holds of the context's memory: handle, words, filters inside. Of a mapped filter
                               or a view without the words, which are someone else's */
    uint64_t file_bytes;    /* of its .uf file */
    uint64_t payload_bytes; /* of its words, as uf_info.bytes */
    uint64_t capacity;      /* the n it was planned for; of all levels; 0 for a filter of a released set */
    unsigned levels;        /* full=scale: filters in its chain; otherwise 1 */
} uf_sizes;

UF_API int uf_get_sizes(const uf_filter *filter, uf_sizes *out, size_t size);

/* The same before anything is built: what uf_build of this spec, with n keys or fewer, gives. Exact but for ribbon with
 * more than 8192 keys, of which it is the most that one can have. With full=scale: of the first level. UF_EUNSUPPORTED
 * for learned kinds, whose size follows from the keys. */
UF_API int uf_plan_sizes(const uf_spec *want, uf_sizes *out, size_t size, uf_error *why);

/* A spec with every number and the seed: what uf_build needs to make a twin for uf_merge. */
UF_API void uf_get_plan(const uf_filter *filter, uf_spec *out);

/* The id of the key it was made with, as uf_secret_id gives it; an empty text when it is not keyed. */
UF_API void uf_get_key_id(const uf_filter *filter, char out[UF_KEY_ID_SIZE]);

/* What people may do to a filter, or-ed together: a promise says against which of these it holds. What a kind refuses
 * altogether does no harm to it, so that such a bit is set. */
enum uf_against {
    UF_AGAINST_QUERIES = 1,      /* any keys, chosen after all answers so far */
    UF_AGAINST_INSERTS = 2,      /* likewise, as many as they like: the filter refuses them or grows */
    UF_AGAINST_OWN_REMOVALS = 4, /* the owner removes members, whoever chose them, each as often as it was inserted */
    UF_AGAINST_ANY_REMOVALS = 8, /* anyone removes whatever the filter answers 1 to */
    UF_AGAINST_ALL = 15
};

/* What the filter promises. The strings are constant and live as long as the library. */
typedef struct uf_claim {
    double epsilon; /* NaN: not private */
    double delta;
    double fpr; /* at capacity, over fresh keys that nobody chose after seeing the filter */
    /* The same over keys that were chosen by someone who has the file and all answers, but not its key; keys that were
     * never inserted and that nobody asked for before. NaN: nothing is promised, and such a person may find as many as
     * he likes. */
    double adversarial_fpr;
    double fnr;       /* at capacity, after the planned removals, of members: inserted, not refused, and not removed */
    const char *unit; /* what epsilon counts, or "none" */
    const char *adversary;     /* against whom fpr holds */
    const char *not_protected; /* in plain words */
    const char *proof;         /* where the reason is written: file#section of docs/ */
    unsigned fpr_against;      /* enum uf_against, or-ed: what adversarial_fpr holds against; 0 when that is NaN */
    unsigned fnr_against;      /* what fnr holds against */
    /* Of members that nobody removed, when strangers without key and file may remove whatever the filter answers 1 to.
     * NaN: nothing is promised, and they may hide as many as they like. */
    double adversarial_fnr;
    double removed_fpr;   /* of keys that were removed, whoever asks for them. 0: never; NaN: nothing is promised */
    const char *rests_on; /* what epsilon takes for granted, or what was measured and not proved; "": nothing */
    /* Learned filters over scores of the caller's own: of keys for which `score` gives no number, which are looked up
     * in every region. NaN for all others. fpr and adversarial_fpr are of keys that have one. */
    double unscored_fpr;
} uf_claim;

/* Of keyed and learned filters it counts the fill, as uf_get_info does: they claim what they do as they are. */
UF_API int uf_get_claim(const uf_filter *filter, uf_claim *out, size_t size);

/* ------------------------------------------------------------------ models */

/*
 * A model tells keys of a set from other keys by how they look: hashed pieces of three and four bytes, lengths,
 * endings. It is trained here, on keys of the set and on negatives, which are keys that will be asked for and are not
 * in it:
 *
 *     uf_training how = UF_TRAINING_INIT;
 *     how.positives = keys;    how.negatives = others;    how.valid = still_others;    (and how many of each)
 *     uf_train(&how, NULL, &model, NULL);
 *
 * A score is a sum of small integers, the same on every machine. What a model knows is the set: whoever has it learns
 * about the keys it was trained on.
 */
typedef struct uf_model uf_model;

typedef struct uf_training {
    size_t size; /* sizeof(uf_training): lets later versions add fields */
    const uf_key *positives;
    size_t positive_count;
    const uf_key *negatives; /* each counts once; those that are positives, too, are left out and counted */
    size_t negative_count;
    const uf_key *valid; /* negatives that are not trained on, each counted once: AUC and best size come from them */
    size_t valid_count;
    uint64_t budget;      /* bytes of weights at most. 0: what makes model and filter together smallest */
    unsigned weight_bits; /* 4 or 8; 0: 4 */
    double fpr;           /* of the filter that it is for; 0: 0.01 */
    const char *children; /* kind of the filters inside that one: bloom, blocked or ribbon; NULL: ribbon */
    uint64_t seed;        /* of the order of training: the same seed gives the same model, with any number of threads */
} uf_training;

#define UF_TRAINING_INIT                                               \
    {                                                                  \
        sizeof(uf_training), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, UINT64_C(1) \
    }

UF_API int uf_train(const uf_training *how, const uf_context *ctx, uf_model **out, uf_error *why);

/* The higher, the more a key looks like those of the set. Cannot fail. */
UF_API int32_t uf_model_score(const uf_model *model, uf_key key);
UF_API void uf_model_score_many(const uf_model *model, const uf_key *keys, size_t count, int32_t *scores);

typedef struct uf_model_info {
    uint64_t bytes;   /* of the weights */
    uint64_t weights; /* a power of two */
    unsigned weight_bits;
    double auc; /* chance that a key of the set scores above a valid negative: 0.5 is a guess, 1 is never wrong */
    uint64_t positives, negatives, valid; /* that were used; of more than 2e6 keys a sample is trained on */
    uint64_t overlap;                     /* negatives and valid ones that were keys of the set */
    uint64_t seed;
    /* Valid ones that came before, and that were negatives, too: left out. In no file, 0 when it is loaded. */
    uint64_t repeated, trained;
} uf_model_info;

/* What a model is and what it was trained on. */
UF_API int uf_model_get_info(const uf_model *model, uf_model_info *out, size_t size);

/* A .ufm file (docs/format.md#models): replaced atomically, validated whole when it is loaded. */
UF_API int uf_model_save(const uf_model *model, const char *path, uf_error *why);
UF_API int uf_model_load(const char *path, const uf_context *ctx, uf_model **out, uf_error *why);
UF_API int uf_model_load_bytes(const void *data, size_t bytes, const uf_context *ctx, uf_model **out, uf_error *why);

/* Wipes, then frees. NULL is fine. */
UF_API void uf_model_free(uf_model *model);

/*
 * Learned filters: kinds learned, sandwich and partition. They are built as any other kind, with a context that says
 * where scores come from and has negatives, from which the rates are planned:
 *
 *     uf_learning learning = UF_LEARNING_INIT;
 *     learning.model = model;    learning.valid = still_others;    learning.valid_count = ...;
 *     context.learning = &learning;
 *     uf_build(&spec, keys, count, &context, &filter, NULL);      spec: "partition:fpr=0.01,children=ribbon"
 *
 * The rate holds for keys like the valid ones, of which each counts once: it is the share of different keys, not of
 * queries, where some are asked for more often than others. When a plain filter would be smaller, that one is built,
 * unless `force` is set: uf_get_info tells its kind, and uf_get_learned what the learned one would have been.
 */
#define UF_MOST_REGIONS 16

typedef struct uf_region {
    double from;              /* the lowest score in it; minus infinity for the first */
    uint64_t keys, negatives; /* that score here */
    double fpr;               /* of its filter; 1: there is none and all is accepted, 0: there are no keys */
    uint64_t bytes;           /* of its filter */
    char key[UF_KEY_ID_SIZE]; /* which key that has, in public: downtown and robust, otherwise empty */
} uf_region;

typedef struct uf_learned {
    const char *children;     /* kind of the filters inside */
    uint64_t bytes;           /* of everything */
    uint64_t model_bytes;     /* 0: scores come from the caller */
    uint64_t plain_bytes;     /* of one filter of that kind with the same keys and rate */
    double adversarial_share; /* for which it was planned: downtown and robust, otherwise NaN */
    double auc;
    double fpr_valid;     /* expected on the valid negatives */
    uint64_t keys, valid; /* how many it was built from, and different negatives that it was planned with */
    uint64_t overlap;     /* valid ones that were keys: left out, but kept in the plan of a keyed filter */
    double first_fpr;     /* sandwich: of the filter in front; 1: there is none */
    uint64_t first_bytes;
    unsigned regions;
    /* Left out as well: valid ones that came before, and those among the negatives that the model was trained on. As
     * `overlap`, for the one who builds it: these are in no file, and 0 when it is loaded. */
    uint64_t repeated, trained;
} uf_learned;

/* What a learned filter is made of; or, when a plain one was just built because it is smaller, what the learned one
 * would have been: that is not saved. UF_EUNSUPPORTED for all others. */
UF_API int uf_get_learned(const uf_filter *filter, uf_learned *out, size_t size);

/* Its regions, `size` (sizeof *out) bytes apart: at most `capacity` are written. */
UF_API int uf_get_regions(const uf_filter *filter, uf_region *out, size_t size, size_t capacity);

typedef struct uf_learning {
    size_t size;           /* sizeof(uf_learning): lets later versions add fields */
    const uf_model *model; /* copied into the filter. Or: */
    /* Your own scores, the higher the more like a key of the set. Called from several threads at once, to build, and
     * with the filter that is built or loaded, in every query: the same key must always give the same score. A NaN
     * stops a build. In a query it means that there is none: the key is looked up in every region, so that no member is
     * missed, and others are accepted more often (uf_claim.unscored_fpr). */
    double (*score)(void *arg, uf_key key);
    void *score_arg;
    const uf_key *valid; /* negatives that the model was not trained on; each counts once, however often it is there */
    size_t valid_count;
    int force; /* 1: a learned filter even when a plain one is smaller */
    /* What the model was trained on, if it is at hand: valid ones that are among these are left out. Kind uptown, which
     * trains its own model in any case, needs them for that. */
    const uf_key *negatives;
    size_t negative_count;
} uf_learning;

#define UF_LEARNING_INIT                            \
    {                                               \
        sizeof(uf_learning), 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/* ---------------------------------------------------------------- watching */

/*
 * A learned filter that watches itself. Its rate was planned for keys like the valid negatives, and holds for no
 * others: someone who looks for keys that it errs on, or honest traffic that has changed, is accepted more often. A
 * watch counts what is asked and accepted in each region, holds it against the plan, and raises an alarm when the
 * difference is not chance; then a backup, if there is one, is asked as well, and a key is accepted only when both
 * accept it (docs/learned.md#the-watch).
 *
 *     uf_watching how = UF_WATCHING_INIT;
 *     uf_watch_new(filter, &how, NULL, &watch, NULL);
 *     uf_watch_query(watch, keys, count, answers);    instead of uf_query_many, which counts nothing and costs no more
 */
typedef struct uf_watch uf_watch;

typedef struct uf_watching {
    size_t size; /* sizeof(uf_watching) */
    /* The chance that honest traffic, of keys like the valid negatives, ever raises an alarm or counts as drift, over
     * any number of queries. 0: 0.001. */
    double false_alarm;
    double members; /* the share of queries that are for keys of the set, at most: they are accepted, too. 0 to 1 */
    /* 1: uf_watch_false tells, before the next query, which of the accepted keys were not in the set. Only those count,
     * and `members` has no say. A service that looks up what a filter accepts knows them. */
    int told;
    /* A filter of the same keys, from the spec that uf_get_backup_plan gives; borrowed. NULL: none. */
    const uf_filter *backup;
} uf_watching;

#define UF_WATCHING_INIT                \
    {                                   \
        sizeof(uf_watching), 0, 0, 0, 0 \
    }

/* Borrows the filter, which nobody may change. UF_EUNSUPPORTED: it is no learned one; UF_EKEY: it is locked;
 * UF_EMISMATCH: the backup is not that of this filter. */
UF_API int uf_watch_new(const uf_filter *filter, const uf_watching *how, const uf_context *ctx, uf_watch **out,
                        uf_error *why);

/* As uf_query_many, and counts. From any number of threads. */
UF_API void uf_watch_query(uf_watch *watch, const uf_key *keys, size_t count, uint8_t *answers);

/* These keys were accepted, and are not in the set. */
UF_API void uf_watch_false(uf_watch *watch, const uf_key *keys, size_t count);

/* What a watch has seen. */
typedef struct uf_watched {
    uint64_t queries, accepted;
    uint64_t told;     /* of the latter, false ones that it was told of */
    double evidence;   /* that more is accepted than planned, up to 1e12: the alarm is at `limit` */
    double drift;      /* the same of which regions are asked: it counts as drift at `limit` */
    double limit;      /* what chance reaches with probability false_alarm at most */
    uint64_t alarm_at; /* queries until the alarm, and until drift was found; 0: not yet */
    uint64_t drift_at;
    int switched; /* 1: the backup is asked as well */
    unsigned regions;
} uf_watched;

/* Rates are shares of all queries; what was planned is what the valid negatives were, and what may be is as much more
 * as chance allows, and members. */
typedef struct uf_watched_region {
    uint64_t queries, accepted;                 /* accepted: false ones that it was told of, when it is told */
    double asked, asked_planned, asked_most;    /* that come to this region */
    double passed, passed_planned, passed_most; /* that are accepted there */
} uf_watched_region;

UF_API int uf_get_watch(const uf_watch *watch, uf_watched *out, size_t size);

/* Its regions, `size` (sizeof *out) bytes apart: at most `capacity` are written. */
UF_API int uf_get_watch_regions(const uf_watch *watch, uf_watched_region *out, size_t size, size_t capacity);

/* NULL is fine. */
UF_API void uf_watch_free(uf_watch *watch);

/* The spec of a backup for a learned filter: a keyed filter of the same keys with this rate, 0 for that of the plan,
 * whose seed follows from the filter's. Build it from the very same keys; uf_watch_new takes no other. */
UF_API int uf_get_backup_plan(const uf_filter *filter, double fpr, uf_spec *out, uf_error *why);

/* -------------------------------------------------------------------- sets */

/*
 * Sets that are released with noise before a filter is built from them, so that whoever has the filter, or even the
 * released set, learns little about any one key:
 *
 *     uf_universe_parse("ipv4:10.0.0.0/8", NULL, &universe, NULL);      every key that the set could have
 *     uf_set_new(universe, NULL, &set, NULL);
 *     uf_set_add(set, keys, count, NULL);
 *     uf_set_release(set, "dime:epsilon=3", NULL, &released, NULL);
 *     uf_build_set(&spec, released, NULL, &filter, NULL);               any kind
 *
 *   dime     every key of the universe, member or not, changes sides with probability q = 1 / (1 + e^epsilon). This is
 *            epsilon-differential privacy for one key added or removed.
 *   nickel   members stay; every other key joins with probability q = e^-epsilon. No member is missed, and the odds
 *            that a listed key is a member rise by at most e^epsilon; but a key that is not listed is certainly not a
 *            member. Presence is protected, absence is not: this is not differential privacy.
 *
 * epsilon is from 0.05 to 20. The noise is exact: q is an integer of 2^64, rounded towards privacy. Each release of a
 * set draws its own noise, unless it has the label of one before (uf_context), and two releases tell twice as much as
 * one.
 *
 * A universe must outlive its sets. Any number of threads may read a set that nobody adds to.
 */
typedef struct uf_universe uf_universe;
typedef struct uf_set uf_set;

/* A universe from its description: "range:1-1000000", "ipv4:10.0.0.0/8" or "digits:10" (fixed width, leading zeros). */
UF_API int uf_universe_parse(const char *text, const uf_context *ctx, uf_universe **out, uf_error *why);
/* Keys of any kind, copied; each counts once. */
UF_API int uf_universe_list(const uf_key *keys, size_t count, const uf_context *ctx, uf_universe **out, uf_error *why);
UF_API uint64_t uf_universe_size(const uf_universe *universe);
/* Keys are numbered from 0. UF_EINVAL: the key is not in the universe. */
UF_API int uf_universe_rank(const uf_universe *universe, uf_key key, uint64_t *rank);
/* The key of a rank below the size; in `buffer`, or in the universe when that is a list. */
UF_API uf_key uf_universe_key(const uf_universe *universe, uint64_t rank, char buffer[UF_UNIVERSE_KEY_SIZE]);
UF_API void uf_universe_free(uf_universe *universe);

/* An empty set. The universe is borrowed. */
UF_API int uf_set_new(const uf_universe *universe, const uf_context *ctx, uf_set **out, uf_error *why);
/* All of the keys or, when one is not in the universe, none of them and an error that names it. */
UF_API int uf_set_add(uf_set *set, const uf_key *keys, size_t count, uf_error *why);
/* A new set with noise, "dime:epsilon=3" or "nickel:epsilon=3". It keeps the members and a seed, both secret, and makes
 * its elements anew whenever they are asked for: large releases take time, not memory. */
UF_API int uf_set_release(const uf_set *set, const char *how, const uf_context *ctx, uf_set **out, uf_error *why);
UF_API uint64_t uf_set_count(const uf_set *set);
/* 1 or 0; negative when the system gives no memory for the answer. Of a released set: up to a millisecond. */
UF_API int uf_set_has(const uf_set *set, uf_key key);
/* All keys, in batches and in the order of their ranks. `each` returns 0, or stops the call with UF_ECANCELED; what it
 * returned is the reason. */
UF_API int uf_set_each(const uf_set *set, int (*each)(void *arg, const uf_key *keys, size_t count), void *arg,
                       uf_error *why);
/* A filter of the keys of a set. When the spec has neither n nor bits, n is the set's count. A filter of a released set
 * says so in its claim and its file, takes no inserts and no merges, and shows no fill. With a learned kind the claim
 * holds only if the model, or the scores, come from the released set (uf_set_each) and from negatives that are public:
 * what a model was trained on cannot be seen here. */
UF_API int uf_build_set(const uf_spec *want, const uf_set *set, const uf_context *ctx, uf_filter **out, uf_error *why);
UF_API void uf_set_free(uf_set *set);

/* How the keys of a filter were released. */
typedef struct uf_released {
    const char *mechanism; /* "dime" or "nickel"; NULL: they were not */
    double rate;           /* q */
    double bound;          /* dime: epsilon; nickel: ln(1/q), for presence only. NaN when not released */
    uint64_t universe;     /* keys in it */
} uf_released;

UF_API int uf_get_released(const uf_filter *filter, uf_released *out, size_t size);

/*
 * What was done to keys before they were added, and has to be done to keys that are asked for: or-ed together. The
 * library neither does it nor looks at it: a key is bytes. It keeps the mask in .uf files, so that whoever asks, such
 * as the program ultrafilter, cannot forget it; a file with UF_NORMAL_LOWERCASE or UF_NORMAL_TRIM is refused by
 * libraries that do not know them. Filters with other masks cannot be merged; copies keep theirs.
 */
enum uf_normal {
    UF_NORMAL_LOWERCASE = 1, /* the letters A to Z were made small, and no others */
    UF_NORMAL_TRIM = 2,      /* spaces, tabs, line ends, \v and \f around the key were left out */
    UF_NORMAL_KEEPS_CR = 4,  /* the program's lists: a carriage return before a newline is part of the key */
    UF_NORMAL_ALL = 7
};

/* UF_EINVAL for bits that have no meaning, UF_EREADONLY for a mapped filter or a view. */
UF_API int uf_set_normal(uf_filter *filter, unsigned normal);
UF_API unsigned uf_get_normal(const uf_filter *filter);

/*
 * A name, a comment and a date that the maker of a filter chooses to put into its .uf file; nothing is put there
 * unasked. They are signed with the file, copies keep them, and so does whoever loads, changes and saves it; private
 * copies and unions start without, or keep what `into` has. The DCSO format has no place for them.
 */
enum { UF_NOTE_NAME_SIZE = 64, UF_NOTE_COMMENT_SIZE = 256 }; /* with the NUL */

typedef struct uf_note {
    char name[UF_NOTE_NAME_SIZE];       /* empty: none */
    char comment[UF_NOTE_COMMENT_SIZE]; /* likewise */
    uint64_t date;                      /* seconds since 1970, in UTC; 0: none */
} uf_note;

/* Replaces all three; NULL or empty texts and 0 take them out. UF_EINVAL: a text is too long, no UTF-8, or has control
 * characters or others that cannot be seen. UF_EREADONLY: a mapped filter or a view. UF_EUNSUPPORTED: its header, of a
 * filter of very many parts, has no room for so much. */
UF_API int uf_set_note(uf_filter *filter, const char *name, const char *comment, uint64_t date, uf_error *why);
UF_API int uf_get_note(const uf_filter *filter, uf_note *out, size_t size);

/* Data attached to a file of DCSO's bloom, behind its filter. uf_get_attached gives what there is, NULL and 0 for
 * none; it stays the filter's, until that is freed or gets other data. uf_set_attached puts a copy of these bytes in
 * its place; 0 bytes drop it. Copies keep it, and so does whoever loads, changes and saves the filter as DCSO; unions
 * keep what `into` has. A .uf file has no place for it: saving as one is refused (UF_EUNSUPPORTED) until it is dropped.
 * UF_EUNSUPPORTED: bytes for a filter of another kind than dcso. UF_EREADONLY: a mapped filter or a view. */
UF_API int uf_get_attached(const uf_filter *filter, const void **data, size_t *bytes);
UF_API int uf_set_attached(uf_filter *filter, const void *data, size_t bytes, uf_error *why);

/* ------------------------------------------------------------------- files */

/* How to load or save; or-ed together. */
enum uf_how {
    UF_FORMAT_UF = 0,   /* docs/format.md */
    UF_FORMAT_DCSO = 1, /* DCSO bloom v1, the kind "dcso" only */
    /* For filters that are kept as values, in a database: the same as a .uf file with its header of 4096 bytes packed
     * into some 60 (docs/format.md#compact-values). Whatever loads UF_FORMAT_UF takes both, and sees which it is; the
     * same filter has the same fingerprint, and a signature of its .uf file holds. It cannot be mapped. */
    UF_FORMAT_COMPACT = 2,
    /* Load: map the file instead of reading it. The payload's checksums are then checked only by uf_verify: until then,
     * and whenever others write into the file, answers may be wrong, "absent" for members included, but no memory
     * outside the mapping is read. A file that is cut meanwhile kills the process (SIGBUS). Files that are replaced, as
     * uf_save does it, are neither: the mapping keeps the old one. */
    UF_MAP = 256,
    /* Load: a keyed filter without its key, which is not looked at when the context has it. All checks are made, but
     * the filter is locked until uf_unlock: it can be described, copied, fingerprinted and saved to the same bytes; it
     * answers 1, maybe, to every key; and it takes no inserts, removals, merges and releases (UF_EKEY). The same goes
     * for a learned filter over scores of the caller's own without the function that gives them. Filters that need
     * neither are loaded as ever. */
    UF_WITHOUT_KEY = 512
};

/* Saves a filter. Replaces `path` atomically: the old file or the whole new one, whatever happens. The new one has
 * owner, group, mode and access list of the old one where the system allows that, and lets nobody in who was not
 * before. It is written as PATH.~0 (to ~15) beside it; what killed processes left there goes with the next save. UF_EIO
 * with "is in place" in the text: the new file is there, but a power cut may undo it. It takes no lock: see
 * uf_lock_file. */
UF_API int uf_save(const uf_filter *filter, const char *path, unsigned how, uf_error *why);

/* The same bytes through a callback. A .uf file comes as its header of UF_HEADER_BYTES, or packed, pieces of 64 KiB of
 * which the last may be shorter, and the table of checksums (1/8192 of the filter) in one piece. `sink` returns 0 or
 * stops the writing with UF_EIO; what it returned is the reason. */
UF_API int uf_write(const uf_filter *filter, unsigned how, int (*sink)(void *arg, const void *data, size_t bytes),
                    void *arg, uf_error *why);

/*
 * Locks a file, so that processes take turns at it. Between uf_load, a change and uf_save of one process, those of
 * another would be lost: let each hold the lock over all three. It belongs to the file and ends with the process;
 * readers need none, and nothing but this call looks at it. The command line holds it in everything that changes or
 * replaces a filter. While another process has it, `waiting` (or NULL) is called about ten times a second with that
 * process, 0 when the system does not tell; it returns 0 to wait on, or gives up with UF_ECANCELED and that as the
 * reason. UF_EIO: there is no such file. Freed with uf_unlock_file, after which others may have it.
 */
typedef struct uf_file_lock uf_file_lock;

UF_API int uf_lock_file(const char *path, int (*waiting)(void *arg, long pid), void *arg, const uf_context *ctx,
                        uf_file_lock **out, uf_error *why);
UF_API void uf_unlock_file(uf_file_lock *lock);

/* Loads a filter: validates everything, then hands it out. Allocates no more than the file has. One with full=refuse or
 * full=scale is looked at once more, to count its fill, so that no insert has to (a mapped one takes none). UF_EKEY: it
 * is keyed, and the context has no secret or another one than it was made with. UF_EINVAL: it is a learned filter over
 * scores of the caller's own, and the context has no function that scores. */
UF_API int uf_load(const char *path, unsigned how, const uf_context *ctx, uf_filter **out, uf_error *why);
UF_API int uf_load_bytes(const void *data, size_t bytes, unsigned how, const uf_context *ctx, uf_filter **out,
                         uf_error *why);

/*
 * The same from bytes that come in pieces of any size, from a socket or a pipe. Needs the filter's memory, 100 KiB and
 * 1/8192 of the filter; and never more than sixteen times what was fed, whatever the header promises, so that for a
 * moment a sixteenth of a large filter lies there twice. A call that fails says why, and so do all after it.
 *
 *     uf_loader_new(&context, UF_FORMAT_UF, &loader, &why);
 *     while ((got = read(fd, buffer, sizeof buffer)) > 0)
 *         uf_loader_feed(loader, buffer, got, &why);
 *     uf_loader_finish(loader, &filter, &why);
 *     uf_loader_free(loader);
 *
 * The context's secret and what its callbacks need are borrowed until the loader is freed. UF_EKEY comes with the first
 * UF_HEADER_BYTES. `how` is UF_FORMAT_UF, or UF_WITHOUT_KEY.
 */
typedef struct uf_loader uf_loader;

UF_API int uf_loader_new(const uf_context *ctx, unsigned how, uf_loader **out, uf_error *why);
UF_API int uf_loader_feed(uf_loader *loader, const void *data, size_t bytes, uf_error *why);
/* UF_EFORMAT when something is missing. Afterwards the loader is empty; it is freed either way. */
UF_API int uf_loader_finish(uf_loader *loader, uf_filter **out, uf_error *why);
UF_API void uf_loader_free(uf_loader *loader);

/*
 * A read-only filter over the bytes of a .uf file, or a compact one, where they are: nothing is copied, and they must
 * stay as they are until the filter is freed; those that change make answers wrong, as with UF_MAP. Checked once, as by
 * uf_load. They begin on a multiple of UF_VIEW_ALIGN (UF_EINVAL), best on one of 64: then a query of kind blocked stays
 * within one cache line. UF_EUNSUPPORTED on big-endian machines.
 */
#define UF_VIEW_ALIGN 8

UF_API int uf_load_view(const void *data, size_t bytes, const uf_context *ctx, uf_filter **out, uf_error *why);

/* What a file says of itself at its start, before it is loaded. So many bytes suffice of a .uf file. */
#define UF_HEADER_BYTES 4096

typedef struct uf_header {
    const char *kind;            /* constant */
    uint64_t file_bytes;         /* that the whole file must have */
    uint64_t memory_bytes;       /* that the filter will take */
    int keyed;                   /* 1: it needs a key, the one of this id */
    char key_id[UF_KEY_ID_SIZE]; /* as uf_secret_id gives it; empty: none */
} uf_header;

/* Reads the header of a file. `bytes` is UF_HEADER_BYTES or more, or all that a compact value has. The header is
 * checked whole, with its checksum; what is behind it is not. */
UF_API int uf_read_header(const void *data, size_t bytes, uf_header *out, size_t size, uf_error *why);

/* 1 for a filter that was loaded with UF_WITHOUT_KEY and needs a key, or scores. */
UF_API int uf_is_locked(const uf_filter *filter);

/* Gives it the key of the context, and the scores. UF_EKEY: it is another one, and the filter stays locked; UF_EINVAL:
 * so it does without the scores it needs. UF_OK at once for filters that are not locked. Nobody may use the filter
 * meanwhile. */
UF_API int uf_unlock(uf_filter *filter, const uf_context *ctx, uf_error *why);

/* Checks the payload of a mapped filter or a view against its checksums. UF_OK at once for others. */
UF_API int uf_verify(const uf_filter *filter, uf_error *why);

/*
 * Signatures: a small file beside a .uf file, "F.uf.sig", over a digest of all its bytes (docs/format.md#signatures).
 * For files that are published, an Ed25519 signature: its key is derived from the signer's master key, and everybody
 * with the public verify key can check it. For one's own files, a keyed BLAKE2b that takes the master key itself.
 *
 * A signature may also bind a name, what the file is for, and a serial, which the signer raises with each file of that
 * name. Without a name any file of the signer's passes for any other, and without a serial an old one for a new one.
 */
typedef struct uf_verify_key {
    unsigned char bytes[32];
} uf_verify_key;

enum uf_signing { UF_SIGN_PUBLIC = 1 /* Ed25519 */, UF_SIGN_OWN = 2 /* keyed BLAKE2b */ };

/* The verify key that belongs to a secret, and verify keys in files of their own. */
UF_API void uf_verify_key_of(const uf_secret *secret, uf_verify_key *out);
UF_API int uf_verify_key_save(const uf_verify_key *key, const char *path, uf_error *why);
UF_API int uf_verify_key_load(const char *path, uf_verify_key *out, uf_error *why);

/* What a signature binds beside the bytes; or, to check one, what it must bind. Start from UF_PURPOSE_INIT. */
typedef struct uf_purpose {
    size_t size;      /* sizeof(uf_purpose): lets later versions add fields */
    const char *name; /* 1 to 63 visible characters of ASCII without a space. NULL: none; to check, any or none */
    uint64_t serial;  /* from 1; to check, the least that will do. 0: none; to check, any or none */
} uf_purpose;

#define UF_PURPOSE_INIT          \
    {                            \
        sizeof(uf_purpose), 0, 0 \
    }

/* Bytes of a name with the NUL at its end. */
#define UF_SIGNED_NAME_SIZE 64

/* Digits of a verify key, with a NUL. */
#define UF_SIGNER_SIZE 65

/* What a signature says. */
typedef struct uf_signed {
    int how;                        /* enum uf_signing */
    char name[UF_SIGNED_NAME_SIZE]; /* empty: none */
    uint64_t serial;                /* 0: none */
    char signer[UF_SIGNER_SIZE];    /* the public key, or of UF_SIGN_OWN the id of the master key; in hexadecimal */
} uf_signed;

/* Checks a .uf file whole and signs it with the context's secret. `signature` is where that goes, NULL for path.sig. */
UF_API int uf_sign(const char *path, const char *signature, int how, const uf_context *ctx, uf_error *why);

/* The same, bound to a name, a serial or both. `purpose` NULL, or with neither: as uf_sign. */
UF_API int uf_sign_for(const char *path, const char *signature, int how, const uf_purpose *purpose,
                       const uf_context *ctx, uf_error *why);

/* UF_OK when the file is exactly what was signed, under whatever name: with `key`, by the owner of that verify key;
 * with NULL, in either way by the context's secret. UF_ESIGNATURE otherwise. Needs no key of a keyed filter. */
UF_API int uf_check_signature(const char *path, const char *signature, const uf_verify_key *key, const uf_context *ctx,
                              uf_error *why);

/* The same together with uf_load, on the very bytes that are loaded: what is altered in between cannot slip through. */
UF_API int uf_load_signed(const char *path, const char *signature, const uf_verify_key *key, const uf_context *ctx,
                          uf_filter **out, uf_error *why);

/* The same for a purpose: UF_ESIGNATURE also when the signature does not bind the name that is asked for, or a serial
 * that is as high. `out` NULL: nothing but the check. What the signature says goes to `said`, unless that is NULL; then
 * said_size is sizeof *said. To refuse what is older than the last file, keep its serial and ask for that one. */
UF_API int uf_load_signed_for(const char *path, const char *signature, const uf_verify_key *key,
                              const uf_purpose *purpose, const uf_context *ctx, uf_filter **out, uf_signed *said,
                              size_t said_size, uf_error *why);

/* What the signature of a file says, and nothing is checked: anyone can write that. UF_ESIGNATURE: there is none. */
UF_API int uf_read_signature(const char *path, const char *signature, uf_signed *out, size_t size, uf_error *why);

/* 32 hexadecimal digits that stand for the bytes of its .uf file: the name of a release in a ledger. */
UF_API int uf_fingerprint(const uf_filter *filter, char out[UF_FINGERPRINT_SIZE], uf_error *why);

/* Wipes, then frees. NULL is fine. */
UF_API void uf_free(uf_filter *filter);

/* ------------------------------------------------------------------ ledger */

/*
 * A small file that records what was released of each data set and refuses the release that would overspend
 * (docs/privacy.md#ledger). Names of data sets and labels (63 bytes), mechanisms (23) and releases (32) are visible
 * characters without a space. Any number of processes may use one ledger.
 */
typedef struct uf_ledger_state {
    double budget;     /* of the data set, decided with its first release */
    double spent;      /* the sum of epsilons, rounded up */
    double left;       /* of the budget, rounded down */
    double charged;    /* by this release; 0 when it had been recorded before */
    uint64_t releases; /* of the data set so far */
    double delta;      /* the sum of deltas, rounded up */
} uf_ledger_state;

typedef struct uf_ledger_entry {
    size_t size; /* of the struct, as the library has it */
    char data_set[64];
    char mechanism[24];
    char id[UF_FINGERPRINT_SIZE];
    double epsilon;
    /* Of the data set, once this release was charged. */
    double budget, spent, left;
    uint64_t releases;
    double delta;              /* of this release; of an entry that does not tell, the largest there was then */
    double delta_sum;          /* of the data set, once this release was charged */
    char date[UF_DATE_SIZE];   /* in UTC: 2026-11-15T17:22:14Z; empty in entries of the first version */
    char label[UF_LABEL_SIZE]; /* empty: none */
    char file[256];            /* empty: not told */
} uf_ledger_entry;

/* What a release is, and what it costs. Start from UF_CHARGE_INIT. */
typedef struct uf_charge {
    size_t size; /* sizeof(uf_charge): lets later versions add fields */
    const char *data_set, *mechanism;
    const char *id;        /* stands for the bytes released: uf_fingerprint */
    double epsilon, delta; /* as the claim has them */
    double budget;         /* needed with the first release of a data set; afterwards 0 or the same number */
    const char *label;     /* of uf_context; NULL: none */
    const char *file;      /* the name of the file, up to 255 bytes of any kind; NULL: none */
    int64_t time;          /* seconds since 1970; 0: now */
} uf_charge;

#define UF_CHARGE_INIT                               \
    {                                                \
        sizeof(uf_charge), 0, 0, 0, 0, 0, 0, 0, 0, 0 \
    }

/*
 * Charges a release to its data set, before its file is written: the charge is on disk when this returns UF_OK. The
 * same id under the same label is charged once; without a label every call is charged, since coins were fresh and equal
 * bytes are then chance, which tells as much as others. UF_EBUDGET: the rest of the budget is too small, or epsilon is
 * not finite, and nothing was charged. UF_EMISMATCH: the label is that of another release in this ledger, whose set or
 * parameters were others, or whose data set is. `now` may be NULL; otherwise now_size is sizeof *now. A missing file is
 * made, with mode 0600.
 */
UF_API int uf_ledger_charge(const char *path, const uf_charge *charge, uf_ledger_state *now, size_t now_size,
                            uf_error *why);

/* Checks the file whole, then calls `each` for every release, oldest first, until it returns something else than 0:
 * then UF_ECANCELED, with that as the reason. */
UF_API int uf_ledger_read(const char *path, int (*each)(void *arg, const uf_ledger_entry *entry), void *arg,
                          uf_error *why);

/* ------------------------------------------------------------ experimental */

/*
 * What may change or go in any release, without the notice that all else gets. Define UF_EXPERIMENTAL before this
 * header is included to use it. The functions are in every library.
 */
#ifdef UF_EXPERIMENTAL

/* Bits in which the payloads of two filters of the same size differ. UF_EMISMATCH when they have other sizes. */
UF_API int uf_distance(const uf_filter *a, const uf_filter *b, uint64_t *bits);

/*
 * A builder as bytes, for workers in other processes: what it has so far goes to `sink`, in pieces of up to 64 KiB, as
 * with uf_write; the builder stays as it is. Nobody may add to it meanwhile. UF_EUNSUPPORTED: learned kinds, and what
 * uf_builder_merge does not take.
 *
 * The bytes hold a hash of every key, or a partial filter: without a key they are as sensitive as the keys themselves,
 * since whoever has them can try keys out. That holds for private kinds, too: the noise comes at the end.
 */
UF_API int uf_builder_write(const uf_builder *builder, int (*sink)(void *arg, const void *data, size_t bytes),
                            void *arg, uf_error *why);

/*
 * A builder with those keys, to be added to, merged and finished as any other. Everything is checked first: UF_EFORMAT
 * when bytes were altered or are missing. `want` is the spec of the builder that was written (UF_EMISMATCH says what
 * differs); where it has no seed, it gets the one in the bytes. UF_EKEY: the context has another key than that one had.
 * Checksums notice damage, not forgery: take bytes from your own processes only.
 */
UF_API int uf_builder_read(const uf_spec *want, const void *data, size_t bytes, const uf_context *ctx, uf_builder **out,
                           uf_error *why);

#endif /* UF_EXPERIMENTAL */

#ifdef __cplusplus
}
#endif

#endif
