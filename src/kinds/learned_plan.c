/* SPDX-License-Identifier: MIT */
/* Plans of learned kinds, from text and to text. */
#include <string.h>

#include "learned.h"
#include "plan.h"
#include "status.h"
#include "kinds.h"

enum { DEFAULT_REGIONS = 8 };

/* One query in twenty: more than most services see of attacks, and a third of the plain filter's bits is still saved.
 */
static const double default_alpha = 0.05;

/* What is not the paper's: of downtown, and of uptown. */
static const char split[] = "split", planned[] = "planned", paper[] = "paper";

static int read_regions(const struct spec *plan, unsigned *out, uf_error *why)
{
    uint64_t regions = DEFAULT_REGIONS;
    if (spec_get_count(plan, "regions", &regions, why) < 0)
        return UF_EINVAL;
    if (regions < 2 || regions > REGIONS_MOST)
        return fail(why, UF_EINVAL, "regions=%llu is not possible: it is 2 to %d", (unsigned long long)regions,
                    REGIONS_MOST);
    *out = (unsigned)regions;
    return UF_OK;
}

static int read_alpha(const struct spec *plan, double *out, uf_error *why)
{
    *out = default_alpha;
    if (spec_get_number(plan, "alpha", out, why) < 0)
        return UF_EINVAL;
    if (!(*out >= 0 && *out <= 1))
        return fail(why, UF_EINVAL,
                    "alpha=%s is not possible: it is the share of queries that an adversary chooses, 0 to 1",
                    spec_text(plan, "alpha"));
    return UF_OK;
}

static int read_definition(const struct spec *plan, const char *ours, int *is_paper, uf_error *why)
{
    const char *definition = spec_text(plan, "definition");
    *is_paper = definition && !strcmp(definition, paper);
    if (definition && !*is_paper && strcmp(definition, ours) != 0)
        return fail(why, UF_EINVAL, "definition=%s is not known: it is %s or paper", definition, ours);
    return UF_OK;
}

int learned_read_request(const struct learned_traits *traits, const struct spec *plan, struct learned_request *out,
                         uf_error *why)
{
    const char *kind = spec_text(plan, "children");
    *out = (struct learned_request){.fpr = PLAN_DEFAULT_FPR, .regions = traits->regions};
    if (spec_get_number(plan, "fpr", &out->fpr, why) < 0 || (!out->regions && read_regions(plan, &out->regions, why)))
        return UF_EINVAL;
    if (traits->own_keys && (read_alpha(plan, &out->alpha, why) || read_definition(plan, split, &out->whole, why)))
        return UF_EINVAL;
    if (traits->permuted && read_definition(plan, planned, &out->in_front, why))
        return UF_EINVAL;
    out->children = child_by_name(kind ? kind : "ribbon");
    if (!out->children)
        return fail(why, UF_EINVAL, "children=%s is not possible: take ribbon, bloom or blocked", kind);
    return plan_check_fpr(out->fpr, why);
}

static void write_request(const struct learned_traits *traits, const struct learned_request *request, struct spec *plan)
{
    spec_set_number(plan, "fpr", request->fpr);
    if (traits->own_keys)
        spec_set_number(plan, "alpha", request->alpha);
    if (!traits->regions)
        spec_set_number(plan, "regions", request->regions);
    (void)spec_set_text(plan, "children", request->children->name, NULL);
    if (traits->own_keys && traits->regions)
        (void)spec_set_text(plan, "definition", request->whole ? paper : split, NULL);
    if (request->in_front)
        (void)spec_set_text(plan, "definition", paper, NULL);
}

int learned_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    const struct learned_traits *traits = ops->learned;
    struct learned_request request;
    uint64_t n = 0;
    int known = spec_get_count(spec, "n", &n, why);
    int status = known < 0 ? UF_EINVAL : learned_read_request(traits, spec, &request, why);
    if (status != UF_OK)
        return status;
    if (known)
        spec_set_number(spec, "n", (double)n);
    write_request(traits, &request, spec);
    return UF_OK;
}

void learned_describe(const struct uf_filter *filter, struct spec *plan)
{
    const struct learned *learned = CONST_PARAMS(struct learned, filter);
    spec_set_number(plan, "n", (double)learned_keys(learned));
    write_request(filter->ops->learned, &learned->request, plan);
}
