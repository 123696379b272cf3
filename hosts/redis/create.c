/* SPDX-License-Identifier: MIT */
#include "create.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

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

/* The share of the whole rate that filter `level` of a value has. */
static double share(unsigned level)
{
    return level ? 0.2 * 6 / (M_PI * M_PI) / ((double)level * level) : 0.8;
}

/* What doubles is a chain of the library's own, one filter in one file; other factors are filters of a value. */
int create_bf_spec(const struct bf_request *want, uf_spec *out, uf_error *why)
{
    char parameters[128];
    int fixed = want->non_scaling || !want->expansion, doubles = !fixed && want->expansion == 2;
    double rate = fixed || doubles ? want->error_rate : want->error_rate * share(0);
    (void)snprintf(parameters, sizeof parameters, "n=%lld,fpr=%.17g,full=%s", want->capacity, rate,
                   doubles ? "scale" : "refuse");
    return parse(rate < BLOCKED_LEAST_RATE ? "bloom" : "blocked", parameters, out, why);
}

/* Three counters and not the six that take the least room, which is 18 % less: every one is a cache miss. */
enum { CF_COUNTERS = 3 };

int create_cf_spec(const struct cf_request *want, uf_spec *out, uf_error *why)
{
    char parameters[128];
    double rate = settings.cf_error_rate * (want->expansion ? share(0) : 1);
    (void)snprintf(parameters, sizeof parameters, "n=%lld,fpr=%.17g,k=%d,full=refuse", want->capacity, rate,
                   CF_COUNTERS);
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

int create_filter(const uf_spec *spec, struct value *value, uf_error *why)
{
    uf_context ctx = value_context(value);
    uf_filter *filter = NULL;
    uint64_t bytes = create_memory(spec);
    int status = check_key(spec, why);
    if (status == UF_OK && bytes > (uint64_t)settings.max_bytes)
        status = reply_set(why, UF_ENOMEM,
                           "it would take %llu bytes, and ultrafilter.max-bytes allows %lld: raise that, or spread the "
                           "items over several keys",
                           (unsigned long long)bytes, settings.max_bytes);
    if (status == UF_OK)
        status = uf_build(spec, NULL, 0, &ctx, &filter, why);
    if (status != UF_OK)
        return status;
    counters.created++;
    return value_add_level(value, filter);
}

/* Equal filters from here on double. */
enum { EQUAL_LEVELS = 16 };

static double level_capacity(double first, uint64_t expansion, unsigned level)
{
    double factor = expansion > 1 ? pow((double)expansion, level)
                                  : ldexp(1, level < EQUAL_LEVELS ? 0 : (int)(level - EQUAL_LEVELS + 1));
    return first * factor;
}

static int set_number(uf_spec *spec, const char *name, const char *format, double number, uf_error *why)
{
    char text[400];
    (void)snprintf(text, sizeof text, format, number);
    return uf_spec_set(spec, name, text, why);
}

int create_level(struct value *value, uf_error *why)
{
    uf_spec spec;
    double n, rate;
    unsigned level = value->levels;
    int counts = value->figures[FIGURE_FAMILY] == FAMILY_CF;
    uf_get_plan(value->filter[0], &spec);
    if ((counts && level >= (unsigned long long)settings.cf_max_expansions) || level == MOST_LEVELS ||
        uf_spec_get(&spec, "n", &n) != UF_OK || uf_spec_get(&spec, "fpr", &rate) != UF_OK)
        return reply_set(why, UF_EFULL, "Maximum expansions reached");
    n = level_capacity(n, value->figures[FIGURE_EXPANSION], level);
    if (!(n < 0x1p62))
        return reply_set(why, UF_ENOMEM, "the next filter would be for %g items, which no machine has room for", n);
    int status = uf_spec_set(&spec, "bits", NULL, why);
    if (status == UF_OK && !counts)
        status = uf_spec_set(&spec, "k", NULL, why);
    if (status == UF_OK)
        status = set_number(&spec, "n", "%.0f", n, why);
    if (status == UF_OK)
        status = set_number(&spec, "fpr", "%.17g", rate * share(level) / share(0), why);
    return status == UF_OK ? create_filter(&spec, value, why) : status;
}

struct value *create_value(const uf_spec *spec, const uint64_t figures[FIGURES], uf_error *why)
{
    struct value *value = value_new();
    memcpy(value->figures, figures, sizeof value->figures);
    if (create_filter(spec, value, why) == UF_OK)
        return value;
    value_release(value);
    return NULL;
}
