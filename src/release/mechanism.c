/* SPDX-License-Identifier: MIT */
#include "mechanism.h"

#include <math.h>
#include <string.h>

#include "rounding.h"
#include "spec.h"
#include "status.h"

static const struct {
    const char *name;
    enum mechanism mechanism;
    uint64_t (*threshold)(double epsilon);
} mechanisms[] = {{"dime", RELEASE_DIME, flip_threshold}, {"nickel", RELEASE_NICKEL, erase_threshold}};

enum { MECHANISMS = sizeof mechanisms / sizeof mechanisms[0] };

static size_t find(const char *name, size_t length)
{
    size_t i = 0;
    while (i < MECHANISMS && (strlen(mechanisms[i].name) != length || strncmp(mechanisms[i].name, name, length)))
        i++;
    return i;
}

static int read_epsilon(const struct spec *spec, double *out, uf_error *why)
{
    int found = spec_get_number(spec, "epsilon", out, why);
    if (found < 0)
        return found;
    if (!found)
        return fail(why, UF_EINVAL, "%s needs epsilon: write %s:epsilon=3", spec->kind, spec->kind);
    if (!(*out >= EPSILON_LEAST && *out <= EPSILON_MOST))
        return fail(why, UF_EINVAL,
                    "epsilon=%s is out of range: from %g, where answers are hardly more than coin tosses, to %g, where "
                    "nothing is protected",
                    spec_text(spec, "epsilon"), EPSILON_LEAST, EPSILON_MOST);
    return UF_OK;
}

int mechanism_parse(const char *how, uint64_t universe, struct release_mark *out, uf_error *why)
{
    struct spec spec;
    double epsilon = 0;
    size_t which = find(how, strcspn(how, ":"));
    if (which == MECHANISMS)
        return fail(why, UF_EINVAL, "'%.60s' is not a way to release a set: write dime:epsilon=3 or nickel:epsilon=3",
                    how);
    int status = spec_parse(how, &spec, why);
    for (unsigned i = 0; status == UF_OK && i < spec.count; i++)
        if (strcmp(spec.param[i].name, "epsilon") != 0)
            status = fail(why, UF_EINVAL, "%s has no parameter '%s': it takes epsilon", spec.kind, spec.param[i].name);
    if (status == UF_OK)
        status = read_epsilon(&spec, &epsilon, why);
    if (status == UF_OK)
        *out = (struct release_mark){mechanisms[which].mechanism, mechanisms[which].threshold(epsilon), universe};
    return status;
}

double mechanism_decoys(const struct release_mark *mark)
{
    return mark_rate(mark) * (double)mark->universe;
}

double mechanism_epsilon_for(const struct release_mark *mark, double most)
{
    double q = most / (double)mark->universe;
    return mark->mechanism == RELEASE_DIME ? log1p(-fmin(q, 0.5)) - log(fmin(q, 0.5)) : -log(fmin(q, 1));
}

int mechanism_check_size(const struct release_mark *mark, uf_error *why)
{
    double decoys = mechanism_decoys(mark), most = (double)RELEASE_MOST;
    if (decoys <= most)
        return UF_OK;
    double fits = ceil(mechanism_epsilon_for(mark, most) * 100) / 100;
    if (!(fits <= EPSILON_MOST))
        return fail(why, UF_EIMPOSSIBLE,
                    "the release would have about %.3g decoys, and %.3g is the most: no epsilon fits", decoys, most);
    return fail(why, UF_EIMPOSSIBLE,
                "%s with this epsilon (%.3g) over %.3g keys would release about %.3g of them, and %.3g is the most: "
                "take epsilon %.4g or more, or a smaller universe",
                mark_name(mark), mark_bound(mark), (double)mark->universe, decoys, most, fits);
}
