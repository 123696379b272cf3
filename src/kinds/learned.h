/* SPDX-License-Identifier: MIT */
/*
 * learned, sandwich and partition: a model and filters of one kind inside. The score of a key says in which region it
 * is; every region has a filter of the keys that score there, with a rate of its own, or accepts all, or, where there
 * are no keys, none. A member scores the same in every query as when the filter was built, so it is looked up where it
 * was put: there are no false negatives. How regions and rates are chosen is in model/regions.h.
 *
 *   learned     two regions; the upper one accepts all
 *   sandwich    the same behind a filter of all keys
 *   partition   up to 16 regions
 *   uptown      a sandwich over what a PRF makes of the keys
 *   downtown    two regions, and no one accepts more than an adversary may find
 *   robust      the same with up to 16 regions
 *
 * The filter's own words are the weights of the model, none when scores come from the caller. The children are the
 * filter in front, if there is one, then those of the regions, in their order. They take the hash of the whole filter;
 * behind the one in front it is mixed once more, so that what that one let through by chance is tested anew. In
 * downtown and robust every child has a seed of its own, so a key of its own (keying.h), under which it hashes the 16
 * bytes that the whole filter's PRF makes of a key: who lacks the secret can choose a region, and nothing else.
 *
 * 1.1 million host names at 1 %, filters of kind ribbon: 6.6 bits per key without a model, 2.5 with one.
 *
 * learned: Kraska, Beutel, Chi, Dean and Polyzotis, "The case for learned index structures", SIGMOD 2018.
 * sandwich: Mitzenmacher, "A model for learned Bloom filters and optimizing by sandwiching", NeurIPS 2018.
 * partition: Vaidya, Knorr, Mitzenmacher and Kraska, "Partitioned learned Bloom filters", ICLR 2021.
 * uptown, downtown: Bishop and Tirmazi, "Adversary resilient learned Bloom filters", arXiv 2024.
 */
#ifndef UF_LEARNED_H
#define UF_LEARNED_H

#include "arith.h"
#include "children.h"
#include "model.h"
#include "regions.h"

/* In what these kinds differ. */
struct learned_traits {
    enum regions_how how;
    unsigned regions; /* always so many at most; 0: the spec says it */
    int permuted;     /* the model sees the 16 bytes of a key's hash instead of the key */
    int own_keys;     /* every child has a key of its own, and alpha is part of the design */
};

/* What a plan says. */
struct learned_request {
    double fpr;
    double alpha;                      /* share of the queries that an adversary chooses */
    unsigned regions;                  /* at most */
    int whole;                         /* every region's filter has all keys: definition=paper of downtown */
    int in_front;                      /* always a filter in front, and a backup: definition=paper of uptown */
    const struct filter_ops *children; /* their kind */
};

/* Where scores come from. In files: never renumber. */
enum learned_source { SCORES_OF_MODEL = 0, SCORES_OF_CALLER = 1 };

enum { LEARNED_NO_CHILD = 255 };

/* What was found among the negatives as the filter was built. It is in no file: whoever supplied them could read from
 * it which are keys. */
struct learned_counts {
    uint64_t overlap, repeated, trained;
};

struct learned {
    enum learned_source source;
    struct learned_request request;
    double auc;       /* of its keys against the negatives it was planned with */
    uint64_t overlap; /* of files that were made when this was told: negatives that were keys */
    struct learned_counts counted;
    struct model model; /* its words are those of the filter: model_of */
    struct regions regions;
    unsigned char child_of[REGIONS_MOST];   /* LEARNED_NO_CHILD: none */
    double (*score)(void *arg, uf_key key); /* SCORES_OF_CALLER; NULL: the filter is locked */
    void *score_arg;
};

_Static_assert(sizeof(struct learned) <= FILTER_PARAMS, "params fit into the handle");

/* Numbers as integers in the same order; NaN is not for this. The same function goes back. */
static inline int64_t score_order(double score)
{
    int64_t bits;
    score += 0.0; /* one zero */
    __builtin_memcpy(&bits, &score, sizeof bits);
    return bits ^ (bits >> 63 & INT64_MAX);
}

static inline double score_of_order(int64_t order)
{
    double score;
    order ^= order >> 63 & INT64_MAX;
    __builtin_memcpy(&score, &order, sizeof score);
    return score;
}

/* The region of a score. */
static inline unsigned region_of(const struct regions *regions, int64_t score)
{
    unsigned at = 0;
    for (unsigned i = 1; i < regions->count; i++)
        at += score >= regions->region[i].from;
    return at;
}

/* Of keys that a filter in front let through. */
static inline struct hash128 hash_again(struct hash128 hash)
{
    return (struct hash128){mix64(hash.lo + UINT64_C(0x9e3779b97f4a7c15)),
                            mix64(hash.hi ^ UINT64_C(0xe7037ed1a0b428db))};
}

static inline unsigned has_first(const struct learned *learned)
{
    return learned->regions.first < 1;
}

static inline int region_has_child(const struct region *region)
{
    return region->keys && region->fpr < 1;
}

static inline struct model model_of(const struct uf_filter *filter)
{
    struct model model = CONST_PARAMS(struct learned, filter)->model;
    model.words = filter->words;
    return model;
}

/* How many children params ask for. */
unsigned learned_children(const struct learned *learned);

/* Different keys in it. */
uint64_t learned_keys(const struct learned *learned);

static inline int has_own_keys(const struct uf_filter *filter)
{
    return filter->ops->learned->own_keys;
}

/* The seed of the filter of a region that has a key of its own. */
static inline uint64_t region_seed(uint64_t seed, unsigned region)
{
    return mix64(seed + (region + 1) * UINT64_C(0x9e3779b97f4a7c15));
}

/* What was asked in each region and accepted there, by keys that have a score and that a filter in front let through.
 */
struct learned_tally {
    uint64_t asked[REGIONS_MOST], accepted[REGIONS_MOST];
};

/* learned_query_keys that also counts. */
void learned_query_tally(const struct uf_filter *filter, const uf_key *keys, size_t count, uint8_t *answers,
                         struct learned_tally *tally);

int learned_query_key(const struct uf_filter *filter, uf_key key);
void learned_query_keys(const struct uf_filter *filter, const uf_key *keys, size_t count, uint8_t *answers);

/* How they are built, from keys and scores (learned/builder.c). */
extern const struct builder_ops learned_builder;

/* The caller's requests with every default filled in. */
int learning_read(const uf_learning *given, uf_learning *out, uf_error *why);

/* Plans (learned_plan.c). The sizes follow from keys and negatives, which a plan does not know. */
int learned_read_request(const struct learned_traits *traits, const struct spec *plan, struct learned_request *out,
                         uf_error *why);
int learned_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why);
void learned_describe(const struct uf_filter *filter, struct spec *plan);

/* Figures (learned_claim.c). */
void learned_capacity(const struct uf_filter *filter, struct planned *out);
void learned_info(const struct uf_filter *filter, uf_info *out);
void learned_claim(const struct uf_filter *filter, uf_claim *out);

/* Rates of the filters inside: as their plans have it, on average over seeds, or of these very ones, which takes a look
 * at every word. */
enum learned_basis { LEARNED_AS_PLANNED, LEARNED_AS_IS };

/* Of one region's filter; of the one in front, 1 when there is none. */
double learned_region_rate(const struct uf_filter *filter, unsigned region, enum learned_basis basis);
double learned_first_rate(const struct uf_filter *filter, enum learned_basis basis);

/* Of fresh negatives like those it was planned with: as estimated, and with the margin. */
double learned_rate(const struct uf_filter *filter, enum learned_basis basis, double margin);

#endif
