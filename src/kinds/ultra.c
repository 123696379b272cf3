/* SPDX-License-Identifier: MIT */
/*
 * ultra: a Bloom filter's array after noise (docs/privacy.md#ultra). Positions are those of positions.h, and a query
 * counts the ones among the k bits of a key and accepts from t on.
 *
 *   mechanism=rr         each bit is flipped with probability T / 2^64. A key touches k bits, so epsilon is
 *                        k ln((2^64 - T) / T), whatever the hash does. FPR, FNR: privacy/design.h. epsilon = 3, 16 bits
 *                        per key: k = 1, FPR 0.10227, FNR 0.04743.
 *   mechanism=published  the UltraFilter paper's own code: ones are cleared with probability T / 2^64, zeros stay. An
 *                        output 1 proves an input 1, so there is no epsilon. hashes=paper: its k hash functions are one
 *                        and the same, as in that code; the array is one partition and a key has one bit.
 *
 * Built from keys, or from an exact bloom filter that its owner keeps (uf_release). Payload: as bloom.
 *
 * Bits of a Bloom filter flipped: Alaggan, Gambs and Kermarrec, "BLIP: non-interactive differentially-private
 * similarity computation on Bloom filters", SSS 2012. The UltraFilter paper: Odoh, WWW Companion 2025.
 */
#include <math.h>
#include <string.h>

#include "bitarray.h"
#include "design.h"
#include "distinct.h"
#include "parallel.h"
#include "partitions.h"
#include "plan.h"
#include "private.h"
#include "rounding.h"
#include "sample.h"
#include "shards.h"
#include "status.h"
#include "kinds.h"

enum { RR = 0, PUBLISHED = 1 };

struct ultra {
    struct partitions array; /* k is the number of different positions: 1 with hashes=paper */
    uint64_t flip;           /* T: of 2^64, per bit */
    uint64_t count_noise;
    uint32_t t, mechanism;
    uint32_t hashes; /* k as it is called: more than array.k with hashes=paper */
};

#define DEFAULT_BITS_PER_KEY 16

/* ---- plan ---- */

static int read_word(const struct spec *spec, const char *name, const char *const words[2], uf_error *why)
{
    const char *text = spec_text(spec, name);
    for (int i = 0; i < 2; i++)
        if (!text || !strcmp(text, words[i]))
            return i;
    return fail(why, UF_EINVAL, "%s=%s is not known: it is %s or %s", name, text, words[0], words[1]);
}

static const char *const mechanisms[] = {"rr", "published"}, *const hash_ways[] = {"true", "paper"};

static int read_bits(const struct spec *spec, uint64_t n, uint64_t *bits, uf_error *why)
{
    double per_key = DEFAULT_BITS_PER_KEY;
    int given = spec_get_count(spec, "bits", bits, why);
    int relative = given < 0 ? given : spec_get_number(spec, "bits_per_key", &per_key, why);
    if (relative < 0)
        return UF_EINVAL;
    if (given && relative)
        return fail(why, UF_EINVAL, "bits and bits_per_key say the same thing: give one of them");
    if (!(per_key > 0 && per_key * (double)n <= (double)PLAN_MAX_BITS) || (given && (!*bits || *bits > PLAN_MAX_BITS)))
        return fail(why, UF_EINVAL, "this size is not possible: a filter has 1 to 2^46 bits");
    if (!given)
        *bits = (uint64_t)fmax(per_key * (double)n, 64);
    return UF_OK;
}

struct request {
    struct private_request common;
    int mechanism, paper;
    uint64_t bits, k, t; /* k, t: 0 when they are to be chosen */
};

static int read_request(const struct spec *spec, struct request *request, uf_error *why)
{
    request->mechanism = read_word(spec, "mechanism", mechanisms, why);
    request->paper = request->mechanism < 0 ? UF_EINVAL : read_word(spec, "hashes", hash_ways, why);
    request->k = request->t = 0;
    if (request->paper < 0)
        return UF_EINVAL;
    if (request->paper && request->mechanism != PUBLISHED)
        return fail(why, UF_EINVAL, "hashes=paper is for mechanism=published only: it is there to repeat the paper");
    int status = private_read_from(spec, request->mechanism == PUBLISHED ? 0 : EPSILON_LEAST, &request->common, why);
    if (status == UF_OK)
        status = read_bits(spec, request->common.n, &request->bits, why);
    if (status == UF_OK &&
        (spec_get_count(spec, "k", &request->k, why) < 0 || spec_get_count(spec, "t", &request->t, why) < 0))
        status = UF_EINVAL;
    if (status == UF_OK && spec_text(spec, "k") &&
        (!request->k || request->k > POSITIONS_MOST_K || request->k > request->bits))
        return fail(why, UF_EINVAL, "k=%llu is not possible: it is 1 to %d, and a bit each",
                    (unsigned long long)request->k, POSITIONS_MOST_K);
    return status;
}

/* P[1 | 1] and P[1 | 0] of a bit. */
static void channel(int mechanism, uint64_t flip, double *a, double *b)
{
    *a = 1 - threshold_rate(flip);
    *b = mechanism == RR ? threshold_rate(flip) : 0;
}

static uint64_t flip_for(const struct request *request, uint64_t k)
{
    return flip_threshold(request->mechanism == RR ? request->common.epsilon / (double)k : request->common.epsilon);
}

/* The k of the request or the best one, then the t that goes with it. */
static int choose(struct request *request, uf_error *why)
{
    struct rr_design best;
    double a, b;
    if (!request->k) {
        int found = request->mechanism == RR
                        ? rr_best(request->common.epsilon, request->common.n, request->bits, &best)
                        : published_best(request->common.epsilon, request->common.n, request->bits, &best);
        if (!found)
            return fail(why, UF_EIMPOSSIBLE, "there is no ultra filter of %llu bits",
                        (unsigned long long)request->bits);
        request->k = request->paper ? 10 : best.k;
    }
    uint64_t different = request->paper ? 1 : request->k;
    channel(request->mechanism, flip_for(request, request->k), &a, &b);
    if (!request->t)
        request->t = request->mechanism == RR
                         ? rr_threshold(request->common.n, request->bits / request->k, (unsigned)request->k, a, b)
                         : different;
    if (request->t > different)
        return fail(why, UF_EINVAL, "t=%llu is not possible: it is 1 to %llu, the number of positions",
                    (unsigned long long)request->t, (unsigned long long)different);
    return UF_OK;
}

static int ultra_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    (void)ops;
    struct request request;
    int status = read_request(spec, &request, why);
    if (status == UF_OK)
        status = choose(&request, why);
    if (status != UF_OK)
        return status;
    spec_remove(spec, "bits_per_key");
    private_write(spec, &request.common);
    (void)spec_set_text(spec, "mechanism", mechanisms[request.mechanism], NULL);
    if (request.paper)
        (void)spec_set_text(spec, "hashes", hash_ways[1], NULL);
    else
        spec_remove(spec, "hashes");
    spec_set_number(spec, "bits", (double)(request.paper ? request.bits : request.bits / request.k * request.k));
    spec_set_number(spec, "k", (double)request.k);
    spec_set_number(spec, "t", (double)request.t);
    return UF_OK;
}

static int set_shape(struct uf_filter *filter, uint64_t n, uint64_t part, uint32_t k, uf_error *why)
{
    struct partitions *array = &PARAMS(struct ultra, filter)->array;
    int status = partitions_set(array, n, part, k, CELL_BIT, why);
    if (status == UF_OK)
        filter->word_count = partitions_words(array);
    return status;
}

static int ultra_shape(struct uf_filter *filter, const struct spec *plan, uf_error *why)
{
    struct ultra *ultra = PARAMS(struct ultra, filter);
    struct request request;
    int status = read_request(plan, &request, why);
    if (status == UF_OK)
        status = choose(&request, why);
    if (status != UF_OK)
        return status;
    uint32_t different = request.paper ? 1 : (uint32_t)request.k;
    *ultra = (struct ultra){.flip = flip_for(&request, request.k),
                            .count_noise = request.common.count_noise,
                            .t = (uint32_t)request.t,
                            .mechanism = (uint32_t)request.mechanism,
                            .hashes = (uint32_t)request.k};
    return set_shape(filter, request.common.n, request.bits / different, different, why);
}

/* ---- queries ---- */

INLINE struct positions view_of(const struct uf_filter *filter)
{
    return partitions_view(&CONST_PARAMS(struct ultra, filter)->array, filter->words);
}

/* All k bits are read, whatever they are. */
INLINE int enough(const struct positions *view, const uint64_t *position, uint32_t t)
{
    uint64_t ones = 0;
    for (unsigned i = 0; i < view->k; i++)
        ones += view->words[position[i] / 64] >> position[i] % 64 & 1;
    return ones >= t;
}

static int ultra_query(const struct uf_filter *filter, struct hash128 hash)
{
    struct positions view = view_of(filter);
    uint64_t position[POSITIONS_MOST_K];
    position_all(&view, hash, position);
    return enough(&view, position, CONST_PARAMS(struct ultra, filter)->t);
}

INLINE void test(const void *self, const void *slot, size_t index, void *out, unsigned t)
{
    ((uint8_t *)out)[index] = (uint8_t)enough(self, slot, t);
}

static void ultra_query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    struct positions view = view_of(filter);
    if (view.k == 1) /* the best there is for most epsilons */
        positions_loop(&view, 1, source, count, test, answers, 1);
    else
        positions_loop(&view, view.k, source, count, test, answers, CONST_PARAMS(struct ultra, filter)->t);
}

/* ---- noise ---- */

enum { CHUNK_WORDS = 1 << 14, STEP_WORDS = 256, SEED_BYTES = 32 };

struct noise {
    struct uf_filter *filter;
    unsigned char *seeds; /* one per chunk, drawn before the threads start: their number must not matter */
    size_t chunks;
};

static void spoil(const struct ultra *ultra, struct sampler *sampler, uint64_t *words, size_t count)
{
    uint64_t mask[STEP_WORDS];
    for (size_t first = 0; first < count; first += STEP_WORDS) {
        size_t step = count - first < STEP_WORDS ? count - first : STEP_WORDS;
        sample_fill(sampler, ultra->flip, mask, step);
        for (size_t i = 0; i < step; i++)
            words[first + i] = ultra->mechanism == RR ? words[first + i] ^ mask[i] : words[first + i] & ~mask[i];
    }
    explicit_bzero(mask, sizeof mask);
}

static int spoil_chunk(void *arg, size_t chunk)
{
    const struct noise *noise = arg;
    struct uf_filter *filter = noise->filter;
    size_t from = chunk * CHUNK_WORDS, left = filter->word_count - from;
    struct rng rng;
    struct sampler *sampler = mem_alloc_dirty(&filter->mem, 1, sizeof *sampler);
    int status = sampler ? rng_open_seeded(&rng, noise->seeds + chunk * SEED_BYTES) : UF_ENOMEM;
    if (status == UF_OK) {
        sampler_start(sampler, &rng);
        spoil(CONST_PARAMS(struct ultra, filter), sampler, filter->words + from,
              left < CHUNK_WORDS ? left : CHUNK_WORDS);
        status = sampler_end(sampler);
        rng_close(&rng);
    }
    mem_free(&filter->mem, sampler, 1, sizeof *sampler);
    return status;
}

static void clear_tails(struct uf_filter *filter)
{
    struct positions view = view_of(filter);
    for (unsigned i = 1; i <= view.k && view.part % 64; i++)
        view.words[i * view.stride / 64 - 1] &= (UINT64_C(1) << view.part % 64) - 1;
}

static int add_noise(struct uf_filter *filter, const uf_context *ctx)
{
    struct noise noise = {filter, NULL, (filter->word_count + CHUNK_WORDS - 1) / CHUNK_WORDS};
    struct rng rng;
    noise.seeds = mem_alloc(&filter->mem, noise.chunks, SEED_BYTES);
    int status = noise.seeds ? rng_open(&rng, ctx) : UF_ENOMEM;
    if (status == UF_OK) {
        status = rng_bytes(&rng, noise.seeds, noise.chunks * SEED_BYTES);
        rng_close(&rng);
    }
    if (status == UF_OK)
        status = parallel_for(ctx->threads, noise.chunks, spoil_chunk, &noise);
    clear_tails(filter);
    mem_free(&filter->mem, noise.seeds, noise.chunks, SEED_BYTES);
    return status;
}

/* ---- build ---- */

struct build {
    struct uf_filter *filter;
    const uint64_t *counts;
    uint64_t distinct; /* atomic */
};

static int insert_shard(void *arg, uint32_t shard, struct hash128 *keys)
{
    struct build *build = arg;
    struct positions view = view_of(build->filter);
    uint64_t count = build->counts[shard];
    int status = distinct_keys(&build->filter->mem, keys, &count);
    if (status != UF_OK)
        return status;
    if (__atomic_add_fetch(&build->distinct, count, __ATOMIC_RELAXED) >
        CONST_PARAMS(struct ultra, build->filter)->array.n)
        return UF_EFULL;
    struct hash_source source = source_of_hashes(keys);
    bitarray_add_many(view, &source, (size_t)count, NULL, SET_ATOMIC);
    return UF_OK;
}

static int insert_all(struct build *build, const struct hash_runs *runs, const uf_context *ctx)
{
    enum { SHARD_KEYS = 1 << 16 };
    struct uf_filter *filter = build->filter;
    struct shards shards = {runs, ctx, &filter->mem, shards_for(runs_total(runs), SHARD_KEYS), NULL};
    int status = shards_count(&shards);
    build->counts = shards.keys;
    if (status == UF_OK)
        status = shards_run(&shards, insert_shard, build);
    shards_end(&shards);
    return status;
}

static int explain(const struct uf_filter *filter, int status, uf_error *why)
{
    const struct ultra *ultra = CONST_PARAMS(struct ultra, filter);
    if (status == UF_EFULL)
        return private_too_many(ultra->array.n, ultra->count_noise, why);
    return fail(why, status, "%s", uf_status_text(status));
}

static int ultra_solve(struct uf_filter *filter, const struct spec *plan, struct hash_runs *runs, const uf_context *ctx,
                       uf_error *why)
{
    struct build build = {.filter = filter};
    int status = ultra_shape(filter, plan, why);
    if (status != UF_OK)
        return status;
    filter->words = mem_alloc(&filter->mem, filter->word_count, sizeof *filter->words);
    status = filter->words ? insert_all(&build, runs, ctx) : UF_ENOMEM;
    if (status == UF_OK)
        status = add_noise(filter, ctx);
    return status == UF_OK ? UF_OK : explain(filter, status, why);
}

/* ---- from an exact filter ---- */

/* Puts what the exact filter is into the request, or says where the request contradicts it. */
static int take_over(struct spec *spec, const char *name, uint64_t value, uf_error *why)
{
    uint64_t said = value;
    if (spec_get_count(spec, name, &said, why) < 0)
        return UF_EINVAL;
    if (said != value)
        return fail(why, UF_EMISMATCH, "%s=%llu contradicts the exact filter, which has %s=%llu", name,
                    (unsigned long long)said, name, (unsigned long long)value);
    spec_set_number(spec, name, (double)value);
    return UF_OK;
}

static int ultra_adapt(struct spec *how, const struct uf_filter *exact, uf_error *why)
{
    const struct partitions *bloom = CONST_PARAMS(struct partitions, exact);
    if (exact->ops != &kind_bloom)
        return fail(why, UF_EUNSUPPORTED, "only bloom filters can be released as ultra, and this one is %s",
                    exact->ops->name);
    int paper = read_word(how, "hashes", hash_ways, why);
    if (paper < 0)
        return UF_EINVAL;
    if (paper)
        return fail(why, UF_EINVAL, "hashes=paper needs keys: the positions of a bloom filter are as they are");
    int status = take_over(how, "n", bloom->n, why);
    if (status == UF_OK)
        status = take_over(how, "bits", bloom->part * bloom->k, why);
    return status == UF_OK ? take_over(how, "k", bloom->k, why) : status;
}

static int ultra_release(struct uf_filter *filter, const struct uf_filter *exact, const uf_context *ctx, uf_error *why)
{
    memcpy(filter->words, exact->words, exact->word_count * sizeof *exact->words);
    int status = add_noise(filter, ctx);
    return status == UF_OK ? UF_OK : explain(filter, status, why);
}

/* ---- bytes ---- */

static void ultra_encode(const struct uf_filter *filter, struct writer *writer)
{
    const struct ultra *ultra = CONST_PARAMS(struct ultra, filter);
    write_uint(writer, ultra->array.n, 8);
    write_uint(writer, ultra->array.part, 8);
    write_uint(writer, ultra->flip, 8);
    write_uint(writer, ultra->count_noise, 8);
    write_uint(writer, ultra->array.k, 4);
    write_uint(writer, ultra->t, 4);
    write_uint(writer, ultra->mechanism, 4);
    write_uint(writer, ultra->hashes, 4);
}

static int ultra_decode(struct uf_filter *filter, struct reader *reader, uf_error *why)
{
    struct ultra *ultra = PARAMS(struct ultra, filter);
    memset(ultra, 0, sizeof *ultra);
    uint64_t n = read_uint(reader, 8), part = read_uint(reader, 8);
    ultra->flip = read_uint(reader, 8);
    ultra->count_noise = read_uint(reader, 8);
    uint64_t k = read_uint(reader, 4);
    ultra->t = (uint32_t)read_uint(reader, 4);
    ultra->mechanism = (uint32_t)read_uint(reader, 4);
    ultra->hashes = (uint32_t)read_uint(reader, 4);
    int paper = ultra->hashes != k; /* only then may it differ, and there is one position */
    if (n > PRIVATE_MOST_KEYS || k < 1 || k > POSITIONS_MOST_K || part < 1 || part > PLAN_MAX_BITS / k ||
        ultra->t < 1 || ultra->t > k || ultra->mechanism > PUBLISHED || !ultra->flip ||
        ultra->flip > UINT64_C(1) << 63 || (paper && (k != 1 || ultra->mechanism != PUBLISHED)) || ultra->hashes < 1 ||
        ultra->hashes > POSITIONS_MOST_K)
        return fail(why, UF_EFORMAT, "is damaged: no ultra filter has these parameters");
    return set_shape(filter, n, part, (uint32_t)k, why);
}

static int ultra_check(const struct uf_filter *filter, uf_error *why)
{
    struct positions view = view_of(filter);
    for (unsigned i = 1; i <= view.k && view.part % 64; i++)
        if (view.words[i * view.stride / 64 - 1] >> view.part % 64)
            return fail(why, UF_EFORMAT, "is damaged: bits are set past the end of partition %u", i - 1);
    return UF_OK;
}

/* ---- figures ---- */

static double epsilon_of(const struct ultra *ultra)
{
    double each = flip_epsilon(ultra->flip);
    return ultra->mechanism == RR ? each * ultra->array.k : each;
}

static void ultra_describe(const struct uf_filter *filter, struct spec *plan)
{
    const struct ultra *ultra = CONST_PARAMS(struct ultra, filter);
    double asked = flip_asked(ultra->flip, ultra->mechanism == RR ? ultra->array.k : 1);
    private_write(plan, &(struct private_request){ultra->array.n, asked, 0});
    (void)spec_set_text(plan, "mechanism", mechanisms[ultra->mechanism], NULL);
    if (ultra->hashes != ultra->array.k)
        (void)spec_set_text(plan, "hashes", hash_ways[1], NULL);
    spec_set_number(plan, "bits", (double)(ultra->array.part * ultra->array.k));
    spec_set_number(plan, "k", ultra->hashes);
    spec_set_number(plan, "t", ultra->t);
}

static void ultra_capacity(const struct uf_filter *filter, struct planned *out)
{
    *out = (struct planned){.n = CONST_PARAMS(struct ultra, filter)->array.n};
}

static void ultra_info(const struct uf_filter *filter, uf_info *out)
{
    const struct partitions *array = &CONST_PARAMS(struct ultra, filter)->array;
    out->capacity = array->n;
    out->bits = array->part * array->k;
}

static void ultra_claim(const struct uf_filter *filter, uf_claim *out)
{
    const struct ultra *ultra = CONST_PARAMS(struct ultra, filter);
    double a, b;
    channel((int)ultra->mechanism, ultra->flip, &a, &b);
    rr_rates(ultra->array.n, ultra->array.part, ultra->array.k, ultra->t, a, b, &out->fpr, &out->fnr);
    out->proof = "docs/privacy.md#ultra";
    if (ultra->mechanism == RR) {
        private_claim(out, epsilon_of(ultra), ultra->count_noise);
    } else {
        out->proof = "docs/privacy.md#published";
        out->not_protected =
            "the keys: this is no differential privacy for any epsilon, since noise only clears bits and "
            "a 1 proves that some key of the set put it there";
    }
}

static const char *const names[] = {"n", "epsilon", "count_epsilon", "mechanism", "hashes", "bits", "bits_per_key", "k",
                                    "t", NULL};

const struct filter_ops kind_ultra = {
    .name = "ultra",
    .about = "private: a Bloom filter with noise, from keys or from a filter that you keep",
    .names = names,
    .id = 6,
    .hash = HASH_XXH3,
    .declared = 1,
    .coins = "coins 2", /* "coins": every lane compared by itself */
    .own_claim = 1,
    .plan = ultra_plan,
    .shape = ultra_shape,
    .calls = {.query = ultra_query, .query_many = ultra_query_many},
    .solve = ultra_solve,
    .adapt = ultra_adapt,
    .release = ultra_release,
    .encode = ultra_encode,
    .decode = ultra_decode,
    .check = ultra_check,
    .capacity = ultra_capacity,
    .describe = ultra_describe,
    .info = ultra_info,
    .claim = ultra_claim,
};
