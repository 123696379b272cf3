/* SPDX-License-Identifier: MIT */
#include "private.h"

#include "count.h"
#include "mark.h"
#include "rounding.h"
#include "status.h"

static int check_epsilon(double epsilon, double least, uf_error *why)
{
    if (epsilon >= least && epsilon <= EPSILON_MOST)
        return UF_OK;
    return fail(why, UF_EINVAL,
                "epsilon=%g is not possible: it is %g to %g; less drowns every answer in noise, more protects nothing",
                epsilon, least, EPSILON_MOST);
}

int private_read(const struct spec *spec, struct private_request *out, uf_error *why)
{
    return private_read_from(spec, EPSILON_LEAST, out, why);
}

int private_read_from(const struct spec *spec, double least, struct private_request *out, uf_error *why)
{
    double count_epsilon = 0;
    *out = (struct private_request){0, 0, 0};
    int has_n = spec_get_count(spec, "n", &out->n, why);
    int has_epsilon = has_n < 0 ? has_n : spec_get_number(spec, "epsilon", &out->epsilon, why);
    int has_count = has_epsilon < 0 ? has_epsilon : spec_get_number(spec, "count_epsilon", &count_epsilon, why);
    if (has_count < 0)
        return UF_EINVAL;
    if (!has_epsilon)
        return fail(why, UF_EINVAL, "a private filter needs epsilon, the promise per key, as in %s:n=1e6,epsilon=3",
                    spec->kind);
    int status = check_epsilon(out->epsilon, least, why);
    if (status != UF_OK)
        return status;
    if (has_count && !(count_epsilon >= COUNT_EPSILON_LEAST && count_epsilon <= EPSILON_MOST))
        return fail(why, UF_EINVAL, "count_epsilon=%g is not possible: it is %g to %g", count_epsilon,
                    COUNT_EPSILON_LEAST, EPSILON_MOST);
    out->count_noise = has_count ? erase_threshold(count_epsilon) : 0;
    if (!has_n)
        return fail(why, UF_EINVAL,
                    "a private filter needs n, its declared capacity: it is public, unlike the number "
                    "of keys; or count_epsilon, to publish a noisy count");
    if (out->n > PRIVATE_MOST_KEYS)
        return fail(why, UF_EIMPOSSIBLE, "n=%llu is more than the 2^40 keys that a private filter can hold",
                    (unsigned long long)out->n);
    return UF_OK;
}

void private_write(struct spec *spec, const struct private_request *request)
{
    spec_set_number(spec, "n", (double)request->n);
    spec_set_number(spec, "epsilon", request->epsilon);
    if (request->count_noise)
        spec_set_number(spec, "count_epsilon", erase_asked(request->count_noise));
}

int private_too_many(uint64_t n, uint64_t count_noise, uf_error *why)
{
    if (count_noise)
        return fail(why, UF_EFULL,
                    "the noisy count came out below the number of keys (a chance of 2^-40): run it again");
    return fail(why, UF_EFULL,
                "there are more keys than the declared capacity n=%llu: declare more, it is public anyway",
                (unsigned long long)n);
}

void private_claim(uf_claim *out, double epsilon, uint64_t count_noise)
{
    out->epsilon = count_noise ? epsilon + erase_epsilon(count_noise) : epsilon;
    out->delta = count_noise ? COUNT_SHORT : 0;
    out->unit = "one key added or removed";
    out->adversary = "anyone who has this file, whatever else they know";
    out->not_protected = count_noise ? "groups of related keys (k keys: k times epsilon), " UNPROTECTED_RELEASES
                                     : "groups of related keys (k keys: k times epsilon), " UNPROTECTED_RELEASES
                                       ", the declared capacity, and that there are not more keys than it";
}
