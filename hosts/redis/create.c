/* SPDX-License-Identifier: MIT */
#include "create.h"

#include <math.h>
#include <stdio.h>

#include "counters.h"
#include "master_keys.h"
#include "reply.h"
#include "settings.h"

/* blocked is the fastest, and takes more room than bloom the smaller the rate is. */
static const double BLOCKED_LEAST_RATE = 0.0005;

/* A kind with its parameters, keyed where the server has a key. prf=aes is the faster one. */
static int parse(const char *kind, const char *parameters, uf_spec *out, uf_error *why)
{
    char text[sizeof out->text];
    if (keys_present())
        (void)snprintf(text, sizeof text, "keyed(%s:%s,prf=aes)", kind, parameters);
    else
        (void)snprintf(text, sizeof text, "%s:%s", kind, parameters);
    return uf_spec_parse(text, out, why);
}

int create_bf_spec(const struct bf_request *want, uf_spec *out, uf_error *why)
{
    char parameters[128];
    (void)snprintf(parameters, sizeof parameters, "n=%lld,fpr=%.17g,full=%s", want->capacity, want->error_rate,
                   want->non_scaling || !want->expansion ? "refuse" : "scale");
    return parse(want->error_rate < BLOCKED_LEAST_RATE ? "bloom" : "blocked", parameters, out, why);
}

/* The rate of level i of a value that grows: a half, a quarter ... of the whole. */
static double level_rate(unsigned level)
{
    return ldexp(settings.cf_error_rate, -(int)level - 1);
}

int create_cf_spec(const struct cf_request *want, uf_spec *out, uf_error *why)
{
    char parameters[128];
    (void)snprintf(parameters, sizeof parameters, "n=%lld,fpr=%.17g,full=refuse", want->capacity, level_rate(0));
    return parse("counting", parameters, out, why);
}

uint64_t create_memory(const uf_spec *spec)
{
    uf_sizes sizes = {.memory_bytes = 0};
    return uf_plan_sizes(spec, &sizes, sizeof sizes, NULL) == UF_OK ? sizes.memory_bytes : 0;
}

static int check_key(const uf_spec *spec, uf_error *why)
{
    if (uf_spec_is_keyed(spec) && !keys_present())
        return reply_set(why, UF_EKEY, "there is no master key: name its file in ultrafilter.key-file");
    if (!uf_spec_is_keyed(spec) && settings.require_key)
        return reply_set(why, UF_EKEY,
                         "a filter without a key is not made while ultrafilter.require-key is on: name the file of a "
                         "master key in ultrafilter.key-file, and say keyed(...)");
    return UF_OK;
}

int create_filter(const uf_spec *spec, uf_filter **out, uf_error *why)
{
    uf_context ctx = keys_context();
    uint64_t bytes = create_memory(spec);
    int status = check_key(spec, why);
    if (status == UF_OK && bytes > (uint64_t)settings.max_bytes)
        status = reply_set(why, UF_ENOMEM,
                           "it would take %llu bytes, and ultrafilter.max-bytes allows %lld: raise that, or spread the "
                           "items over several keys",
                           (unsigned long long)bytes, settings.max_bytes);
    if (status == UF_OK)
        status = uf_build(spec, NULL, 0, &ctx, out, why);
    if (status == UF_OK)
        counters.created++;
    return status;
}

/* As the first one, seed and key included, so that an item has one digest in all of them. */
int create_level(const struct value *value, uf_filter **out, uf_error *why)
{
    uf_spec spec;
    char number[32];
    double n;
    uf_get_plan(value->filter[0], &spec);
    if (value->levels >= (unsigned long long)settings.cf_max_expansions || value->levels == MOST_LEVELS ||
        uf_spec_get(&spec, "n", &n) != UF_OK)
        return reply_set(why, UF_EFULL, "Maximum expansions reached");
    n *= pow((double)value->figures[FIGURE_EXPANSION], value->levels);
    int status = uf_spec_set(&spec, "bits", NULL, why);
    if (status == UF_OK)
        status = uf_spec_set(&spec, "k", NULL, why);
    (void)snprintf(number, sizeof number, "%.0f", n);
    if (status == UF_OK)
        status = uf_spec_set(&spec, "n", number, why);
    (void)snprintf(number, sizeof number, "%.17g", level_rate(value->levels));
    if (status == UF_OK)
        status = uf_spec_set(&spec, "fpr", number, why);
    return status == UF_OK ? create_filter(&spec, out, why) : status;
}

struct value *create_value(enum family family, uf_filter *filter)
{
    struct value *value = value_new();
    value->figures[FIGURE_FAMILY] = family;
    (void)value_add_level(value, filter);
    return value;
}
