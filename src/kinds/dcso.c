/* SPDX-License-Identifier: MIT */
/*
 * dcso: filters of DCSO's bloom tool, format version 1, so that people can move over. Read and written byte for byte as
 * that tool does:
 *
 *     u64 flags (low byte 1)  u64 n  f64 p  u64 k  u64 m  u64 N   then ceil(m/64) words, then free data; little-endian
 *     h_0 = FNV-1(key) mod P,  h_i = (h_{i-1} * G mod 2^64) mod P,  bit i = h_i mod m,  i = 1 .. k
 *
 * N counts the keys that set at least one new bit, so it depends on the order of keys; that is why this kind is built
 * by one thread. The positions of a key need not be distinct and its seed is public: for data of one's own, use another
 * kind.
 */
#include "ops.h"

#include <math.h>
#include <string.h>

#include "arith.h"
#include "bits.h"
#include "plan.h"
#include "rates.h"
#include "status.h"
#include "tiles.h"
#include "kinds.h"

#define PRIME UINT64_C(18446744073709551557)
#define FACTOR UINT64_C(18446744073709550147)

enum { MOST_K = 1024 };

struct dcso {
    uint64_t n, k, m, count;
    double p;
};

static int set_words(struct uf_filter *filter, uint64_t m, int status, uf_error *why)
{
    uint64_t words = ceil_div(m, 64);
    if (!m || m > PLAN_MAX_BITS || words > SIZE_MAX / 8)
        return fail(why, status, "no filter has %llu bits", (unsigned long long)m);
    filter->word_count = (size_t)words;
    return UF_OK;
}

/* The tool's own formulas. */
static int size_of(uint64_t n, double p, struct dcso *out, uf_error *why)
{
    double m = fabs(ceil((double)n * log(p) / pow(log(2.0), 2.0)));
    double k = ceil(M_LN2 * m / (double)n);
    if (!(m >= 1 && m <= (double)PLAN_MAX_BITS && k <= MOST_K))
        return fail(why, UF_EIMPOSSIBLE, "n=%llu at fpr=%g would have %.0f bits and k=%.0f; 2^46 and 1024 are the most",
                    (unsigned long long)n, p, m, k);
    *out = (struct dcso){.n = n, .p = p, .m = (uint64_t)m, .k = (uint64_t)k};
    return UF_OK;
}

static int dcso_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    (void)ops;
    struct dcso dcso;
    uint64_t n = 0, bits = 0, k = 0;
    double fpr = PLAN_DEFAULT_FPR;
    int has_n = spec_get_count(spec, "n", &n, why), has_bits = spec_get_count(spec, "bits", &bits, why);
    int has_k = spec_get_count(spec, "k", &k, why);
    if (has_n < 0 || has_bits < 0 || has_k < 0 || spec_get_number(spec, "fpr", &fpr, why) < 0)
        return UF_EINVAL;
    int status = plan_check_fpr(fpr, why);
    if (status == UF_OK && !has_n)
        status = fail(why, UF_EINVAL, "say how large: n (keys), as in dcso:n=1e6,fpr=0.01");
    n = n ? n : 1; /* the format knows no empty filter */
    if (status == UF_OK)
        status = size_of(n, fpr, &dcso, why);
    if (status == UF_OK && ((has_bits && bits != dcso.m) || (has_k && k != dcso.k)))
        status = fail(why, UF_EIMPOSSIBLE, "n=%llu and fpr=%g give bits=%llu and k=%llu in DCSO's format, no others",
                      (unsigned long long)n, fpr, (unsigned long long)dcso.m, (unsigned long long)dcso.k);
    if (status != UF_OK)
        return status;
    spec_set_number(spec, "n", (double)n);
    spec_set_number(spec, "fpr", fpr);
    spec_set_number(spec, "bits", (double)dcso.m);
    spec_set_number(spec, "k", (double)dcso.k);
    return UF_OK;
}

static int dcso_shape(struct uf_filter *filter, const struct spec *plan, uf_error *why)
{
    struct dcso *dcso = PARAMS(struct dcso, filter);
    uint64_t n = 0;
    double fpr = PLAN_DEFAULT_FPR;
    if (spec_get_count(plan, "n", &n, why) < 0 || spec_get_number(plan, "fpr", &fpr, why) < 0)
        return UF_EINVAL;
    int status = size_of(n, fpr, dcso, why);
    return status == UF_OK ? set_words(filter, dcso->m, UF_EIMPOSSIBLE, why) : status;
}

INLINE uint64_t next_hash(uint64_t h)
{
    return h * FACTOR % PRIME;
}

static int dcso_query(const struct uf_filter *filter, struct hash128 hash)
{
    const struct dcso *dcso = CONST_PARAMS(struct dcso, filter);
    uint64_t h = hash.lo % PRIME, all = 1;
    for (uint64_t i = 0; i < dcso->k; i++) {
        h = next_hash(h);
        uint64_t at = h % dcso->m;
        all &= filter->words[at / 64] >> at % 64;
    }
    return (int)(all & 1);
}

static void dcso_query_many(const struct uf_filter *filter, struct hash_source *source, size_t count, uint8_t *answers)
{
    struct hash128 hash[TILE];
    for (size_t done = 0; done < count;) {
        size_t step = count - done < TILE ? count - done : TILE;
        source->fill(source, hash, step);
        for (size_t i = 0; i < step; i++)
            answers[done + i] = (uint8_t)dcso_query(filter, hash[i]);
        done += step;
    }
}

static int dcso_add(struct uf_filter *filter, struct hash128 hash)
{
    struct dcso *dcso = PARAMS(struct dcso, filter);
    uint64_t h = hash.lo % PRIME, fresh = 0;
    for (uint64_t i = 0; i < dcso->k; i++) {
        h = next_hash(h);
        uint64_t at = h % dcso->m, bit = UINT64_C(1) << at % 64;
        fresh |= bit & ~filter->words[at / 64];
        filter->words[at / 64] |= bit;
    }
    dcso->count += fresh != 0;
    return fresh != 0;
}

static void dcso_add_many(struct uf_filter *filter, struct hash_source *source, size_t count, int8_t *verdict)
{
    struct hash128 hash[TILE];
    for (size_t done = 0; done < count;) {
        size_t step = count - done < TILE ? count - done : TILE;
        source->fill(source, hash, step);
        for (size_t i = 0; i < step; i++) {
            int fresh = dcso_add(filter, hash[i]);
            if (verdict)
                verdict[done + i] = (int8_t)fresh;
        }
        done += step;
    }
}

/* As the tool joins: the count is the sum, an upper bound when the sets overlap. */
static void dcso_merge(struct uf_filter *into, const struct uf_filter *from, size_t first, size_t count)
{
    bits_or(into->words + first, from->words + first, count);
    if (first + count == into->word_count)
        PARAMS(struct dcso, into)->count += CONST_PARAMS(struct dcso, from)->count;
}

/* The fields of the tool's own header, less its flags. */
static void dcso_encode(const struct uf_filter *filter, struct writer *writer)
{
    const struct dcso *dcso = CONST_PARAMS(struct dcso, filter);
    write_uint(writer, dcso->n, 8);
    write_double(writer, dcso->p);
    write_uint(writer, dcso->k, 8);
    write_uint(writer, dcso->m, 8);
    write_uint(writer, dcso->count, 8);
}

static int dcso_decode(struct uf_filter *filter, struct reader *reader, uf_error *why)
{
    struct dcso *dcso = PARAMS(struct dcso, filter);
    dcso->n = read_uint(reader, 8);
    dcso->p = read_double(reader);
    dcso->k = read_uint(reader, 8);
    dcso->m = read_uint(reader, 8);
    dcso->count = read_uint(reader, 8);
    if (dcso->k < 1 || dcso->k > MOST_K || !(dcso->p > 0 && dcso->p < 1) || dcso->n > UINT64_C(1) << 53)
        return fail(why, UF_EFORMAT, "is damaged: no DCSO filter has n=%llu, p=%g and k=%llu",
                    (unsigned long long)dcso->n, dcso->p, (unsigned long long)dcso->k);
    return set_words(filter, dcso->m, UF_EFORMAT, why);
}

static int dcso_check(const struct uf_filter *filter, uf_error *why)
{
    uint64_t m = CONST_PARAMS(struct dcso, filter)->m;
    if (m % 64 && filter->words[filter->word_count - 1] >> m % 64)
        return fail(why, UF_EFORMAT, "is damaged: bits are set past the last one");
    return UF_OK;
}

int dcso_write(const struct uf_filter *filter, int (*sink)(void *arg, const void *data, size_t bytes), void *arg,
               uf_error *why)
{
    unsigned char page[4096];
    struct writer writer = {page, sizeof page, 0};
    if (filter->ops != &kind_dcso)
        return fail(why, UF_EUNSUPPORTED, "cannot be a DCSO file: only the kind dcso can, and the filter is %s",
                    filter->ops->name);
    write_uint(&writer, 1, 8);
    dcso_encode(filter, &writer);
    int status = UF_OK;
    for (size_t i = 0; i < filter->word_count && status == UF_OK; i++) {
        if (writer.left < 8) {
            status = sink(arg, page, sizeof page - writer.left);
            writer = (struct writer){page, sizeof page, 0};
        }
        write_uint(&writer, filter->words[i], 8);
    }
    if (status == UF_OK)
        status = sink(arg, page, sizeof page - writer.left);
    return status == UF_OK && filter->attached_bytes ? sink(arg, filter->attached, filter->attached_bytes) : status;
}

static void dcso_describe(const struct uf_filter *filter, struct spec *plan)
{
    const struct dcso *dcso = CONST_PARAMS(struct dcso, filter);
    spec_set_number(plan, "n", (double)dcso->n);
    spec_set_number(plan, "fpr", dcso->p);
    spec_set_number(plan, "bits", (double)dcso->m);
    spec_set_number(plan, "k", (double)dcso->k);
}

static void dcso_capacity(const struct uf_filter *filter, struct planned *out)
{
    *out = (struct planned){.n = CONST_PARAMS(struct dcso, filter)->n};
}

static void dcso_info(const struct uf_filter *filter, uf_info *out)
{
    const struct dcso *dcso = CONST_PARAMS(struct dcso, filter);
    out->capacity = dcso->n;
    out->bits = dcso->m;
    out->count_estimate = (double)dcso->count;
    out->fill = (double)bits_count(filter->words, filter->word_count) / (double)dcso->m;
    out->fpr_now = pow(out->fill, (double)dcso->k);
}

/* The tool rounds k up, so that its filters accept a little more than the p in their files: 0.01004 at 0.01 (0.01003
 * and 0.01010 of 10^7 strangers were measured), 0.1026 at 0.1. */
static double dcso_rate(const struct dcso *dcso)
{
    const double k = (double)dcso->k;
    return fmax(dcso->p, pow(-expm1(-k * (double)dcso->n / (double)dcso->m), k));
}

static void dcso_claim(const struct uf_filter *filter, uf_claim *out)
{
    out->fpr = dcso_rate(CONST_PARAMS(struct dcso, filter));
    out->adversary = "none: the hash is public and unseeded, so anyone can make false positives";
    out->proof = "docs/kinds.md#dcso";
}

static const char *const names[] = {"n", "fpr", "bits", "k", NULL};

const struct filter_ops kind_dcso = {
    .name = "dcso",
    .about = "filters of DCSO's bloom tool, to move over from it",
    .names = names,
    .id = 4,
    .hash = HASH_FNV1,
    .plan = dcso_plan,
    .shape = dcso_shape,
    .calls = {.query = dcso_query, .query_many = dcso_query_many, .add_many = dcso_add_many, .add = dcso_add},
    .capacity = dcso_capacity,
    .merge = dcso_merge,
    .encode = dcso_encode,
    .decode = dcso_decode,
    .check = dcso_check,
    .describe = dcso_describe,
    .info = dcso_info,
    .claim = dcso_claim,
};
