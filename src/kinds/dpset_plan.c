/* SPDX-License-Identifier: MIT */
/*
 * dpset, the plan: which variant, and its numbers (privacy/variants.h). A plan names the variant and all that it needs:
 * columns and accept of binary ones, radix, accept and band of mixed radix; and the slack.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dpset.h"
#include "layout.h"
#include "private.h"
#include "rounding.h"
#include "status.h"
#include "variants.h"

/* ---- what a spec asks for ---- */

struct request {
    struct private_request basic;
    struct variant_wish wish;
    enum dpset_variant variant; /* DPSET_VARIANTS: it did not say */
    int designed;               /* it has columns or radix, and accept: nothing is left to choose */
};

/* The index of a word; `count` when it is none of them. */
static unsigned index_of(const char *word, const char *const *words, unsigned count)
{
    unsigned i = 0;
    while (i < count && strcmp(word, words[i]) != 0)
        i++;
    return i;
}

static int read_variant(const struct spec *spec, struct request *out, uf_error *why)
{
    const char *variant = spec_text(spec, "variant"), *prefer = spec_text(spec, "prefer");
    out->variant = DPSET_VARIANTS;
    if (variant &&
        (out->variant = (enum dpset_variant)index_of(variant, variant_names, DPSET_VARIANTS)) == DPSET_VARIANTS)
        return fail(why, UF_EINVAL, "variant=%s is not known: it is radix, dyadic or integer", variant);
    if (prefer && (out->wish.prefer = (enum dpset_prefer)index_of(prefer, prefer_names, PREFERENCES)) == PREFERENCES)
        return fail(why, UF_EINVAL, "prefer=%s is not known: it is small, fast, accurate or default", prefer);
    if (prefer && variant && out->variant != DPSET_RADIX)
        return fail(why, UF_EINVAL, "prefer=%s is there to choose a variant: leave out variant=%s", prefer, variant);
    return UF_OK;
}

static int read_sizes(const struct spec *spec, struct request *out, uf_error *why)
{
    struct variant_wish *wish = &out->wish;
    uint64_t band = 0;
    int given = spec_get_number(spec, "bits_per_key", &wish->most_bits, why);
    if (given < 0 || spec_get_number(spec, "slack", &wish->slack, why) < 0 ||
        spec_get_count(spec, "band", &band, why) < 0)
        return UF_EINVAL;
    wish->band = band <= UINT32_MAX ? (uint32_t)band : UINT32_MAX;
    if (given && !(wish->most_bits > 0))
        return fail(why, UF_EINVAL, "bits_per_key=%g is not possible: it must be above 0", wish->most_bits);
    if (spec_text(spec, "slack") && !(wish->slack > 0 && wish->slack <= DPSET_MOST_SLACK))
        return fail(why, UF_EINVAL, "slack=%g is not possible: it is the share of spare slots, above 0 and at most %d",
                    wish->slack, DPSET_MOST_SLACK);
    return UF_OK;
}

/* columns or radix with accept, or none of them. */
static int read_designed(const struct spec *spec, struct request *out, uf_error *why)
{
    int columns = spec_text(spec, "columns") != NULL, radix = spec_text(spec, "radix") != NULL,
        accept = spec_text(spec, "accept") != NULL;
    if (columns && radix)
        return fail(why, UF_EINVAL,
                    "columns are those of a dyadic or integer dpset, radix is that of another: give one");
    if (out->variant == DPSET_VARIANTS && (columns || radix))
        out->variant = radix ? DPSET_RADIX : DPSET_DYADIC; /* what it was before there was another */
    int own = out->variant == DPSET_RADIX ? radix : columns;
    if (own != accept || (columns || radix) != own)
        return fail(why, UF_EINVAL, "%s and accept belong together: give both or neither",
                    out->variant == DPSET_RADIX ? "radix" : "columns");
    if (own && (out->wish.most_bits > 0 || spec_text(spec, "prefer")))
        return fail(why, UF_EINVAL, "%s is there to choose %s and accept: give it or them",
                    out->wish.most_bits > 0 ? "bits_per_key" : "prefer", radix ? "radix" : "columns");
    out->designed = own;
    return UF_OK;
}

/* eta was measured for this much; less would make it a guess. */
static int check_layout(const struct request *request, uf_error *why)
{
    const struct variant_wish *wish = &request->wish;
    int binary = request->variant == DPSET_DYADIC || request->variant == DPSET_INTEGER, found = 0;
    const struct eta_layout *layout;
    if (binary && wish->band)
        return fail(why, UF_EINVAL, "band=%u is that of variant=radix: leave it out", wish->band);
    if (binary && wish->slack > 0 && wish->slack < LEF_SLACK)
        return fail(why, UF_EINVAL, "slack=%g is not possible: it is the share of spare slots, %g to %d", wish->slack,
                    LEF_SLACK, DPSET_MOST_SLACK);
    for (unsigned i = 0; (layout = eta_layout(i)); i++)
        found |=
            (!wish->band || wish->band == layout->band) && (!(wish->slack > 0) || wish->slack >= layout->least_slack);
    if (binary || found)
        return UF_OK;
    return fail(why, UF_EINVAL,
                "band=%u with slack=%g is no layout of a dpset: a band of 64 needs a slack of at least 0.08, one of "
                "128 at least 0.03",
                wish->band, wish->slack);
}

static int read_request(const struct spec *spec, struct request *out, uf_error *why)
{
    *out = (struct request){.variant = DPSET_VARIANTS};
    int status = private_read(spec, &out->basic, why);
    if (status == UF_OK)
        status = read_variant(spec, out, why);
    if (status == UF_OK)
        status = read_sizes(spec, out, why);
    if (status == UF_OK)
        status = read_designed(spec, out, why);
    if (status == UF_OK)
        status = check_layout(out, why);
    out->wish.epsilon = out->basic.epsilon;
    out->wish.n = out->basic.n;
    return status;
}

/* ---- a design ---- */

/* "21" or "9x12"; zeros when it is neither. */
static void read_radices(const char *text, uint32_t radix[RADIX_GROUPS])
{
    char *end = NULL;
    unsigned long first = text ? strtoul(text, &end, 10) : 0, second = 0;
    int two = text && *end == 'x';
    if (two)
        second = strtoul(end + 1, &end, 10);
    if (!text || *text < '1' || *text > '9' || *end || first > DIGITS_MOST_RADIX || second > RADIX_MOST_SECOND ||
        two != (second > 0))
        first = second = 0;
    radix[0] = (uint32_t)first;
    radix[1] = (uint32_t)second;
}

void dpset_write_choice(const struct variant_choice *choice, struct spec *spec)
{
    char text[32];
    (void)spec_set_text(spec, "variant", variant_names[choice->variant], NULL);
    if (choice->variant == DPSET_RADIX) {
        const struct radix_design *design = &choice->radix;
        (void)snprintf(text, sizeof text, design->groups > 1 ? "%ux%u" : "%u", design->radix[0], design->radix[1]);
        (void)spec_set_text(spec, "radix", text, NULL);
        spec_set_number(spec, "accept", design->accept);
        spec_set_number(spec, "band", design->band);
    } else {
        spec_set_number(spec, "columns", choice->lef.columns);
        spec_set_number(spec, "accept", (double)choice->lef.accept);
    }
    spec_set_number(spec, "slack", choice->slack);
}

void dpset_write_design(const struct dpset *dpset, struct spec *spec)
{
    struct variant_choice choice = {.variant = (enum dpset_variant)dpset->variant, .slack = dpset->slack};
    choice.radix = dpset_radix_design(dpset);
    choice.lef = dpset_lef_design(dpset);
    dpset_write_choice(&choice, spec);
}

static int broken(const struct dpset *dpset, double epsilon, uf_error *why)
{
    const struct radix_design design = dpset_radix_design(dpset);
    if (dpset->variant == DPSET_RADIX)
        return fail(why, UF_EINVAL, "accept=%llu of %llu would break epsilon=%g: take a smaller radix",
                    (unsigned long long)dpset->accept, (unsigned long long)radix_values(&design), epsilon);
    return fail(why, UF_EINVAL, "accept=%llu of 2^%u would break epsilon=%g: take at least %llu",
                (unsigned long long)dpset->accept, dpset->columns, epsilon,
                (unsigned long long)lef_accept(epsilon, dpset->columns));
}

/* The layout where a spec says only a part of it. */
static void default_layout(struct dpset *dpset)
{
    const struct eta_layout *layout = eta_layout(0);
    if (dpset->variant != DPSET_RADIX) {
        dpset->slack = dpset->slack > 0 ? dpset->slack : LEF_SLACK;
        return;
    }
    for (unsigned i = 0; eta_layout(i); i++)
        if (dpset->band == eta_layout(i)->band)
            layout = eta_layout(i);
    dpset->band = layout->band;
    dpset->slack = dpset->slack > 0 ? dpset->slack : layout->least_slack;
}

int dpset_read_design(const struct spec *plan, struct dpset *dpset, uf_error *why)
{
    struct request request;
    uint64_t columns = 0;
    int status = read_request(plan, &request, why);
    memset(dpset, 0, sizeof *dpset);
    if (status == UF_OK &&
        (spec_get_count(plan, "columns", &columns, why) < 0 || spec_get_count(plan, "accept", &dpset->accept, why) < 0))
        status = UF_EINVAL;
    if (status != UF_OK)
        return status;
    dpset->n = request.basic.n;
    dpset->count_noise = request.basic.count_noise;
    dpset->variant = request.variant;
    dpset->columns = columns <= DPSET_MOST_COLUMNS ? (uint32_t)columns : 0;
    read_radices(spec_text(plan, "radix"), dpset->radix);
    dpset->band = request.wish.band;
    dpset->slack = request.wish.slack;
    default_layout(dpset);
    dpset->erase = erase_threshold(request.basic.epsilon);
    if (!dpset_legal(dpset) && request.variant == DPSET_RADIX)
        return fail(why, UF_EINVAL, "radix=%s and accept=%llu make no dpset: a radix is a product of 2, 3 and 7",
                    spec_text(plan, "radix") ? spec_text(plan, "radix") : "", (unsigned long long)dpset->accept);
    if (!dpset_legal(dpset))
        return fail(why, UF_EINVAL, "columns=%llu and accept=%llu make no %s dpset", (unsigned long long)columns,
                    (unsigned long long)dpset->accept,
                    request.variant < DPSET_VARIANTS ? variant_names[request.variant] : "dyadic");
    return dpset_epsilon(dpset) <= request.basic.epsilon ? UF_OK : broken(dpset, request.basic.epsilon, why);
}

/* ---- the plan ---- */

static int choose(const struct request *request, const struct variant_wish *wish, struct variant_choice *out)
{
    return request->variant == DPSET_VARIANTS ? variant_choose(wish, out) : variant_best(wish, request->variant, out);
}

static int no_space(const struct request *request, uf_error *why)
{
    struct variant_wish wish = request->wish;
    struct variant_choice least;
    wish.most_bits = 0;
    if (!choose(request, &wish, &least))
        return fail(why, UF_EIMPOSSIBLE, "there is no dpset at epsilon=%g", wish.epsilon);
    return fail(why, UF_EIMPOSSIBLE,
                "no dpset at epsilon=%g fits into bits_per_key=%g; at the limit of accuracy it takes %.2f",
                wish.epsilon, request->wish.most_bits, least.bits);
}

int dpset_plan(const struct filter_ops *ops, struct spec *spec, uf_error *why)
{
    (void)ops;
    struct request request;
    struct variant_choice choice;
    struct dpset trial;
    int status = read_request(spec, &request, why);
    if (status == UF_OK && !request.designed && !choose(&request, &request.wish, &choice))
        status = no_space(&request, why);
    if (status == UF_OK && request.designed)
        status = dpset_read_design(spec, &trial, why);
    if (status != UF_OK)
        return status;
    spec_remove(spec, "bits_per_key");
    spec_remove(spec, "prefer");
    private_write(spec, &request.basic);
    if (request.designed)
        dpset_write_design(&trial, spec);
    else
        dpset_write_choice(&choice, spec);
    return dpset_read_design(spec, &trial, why);
}
