/* SPDX-License-Identifier: MIT */
/*
 * The grammar of specs, without knowledge of kinds:
 *
 *     spec  = child | "keyed(" child ")"
 *     child = kind [ ":" name "=" value { "," name "=" value } ]
 *
 * Names are lower-case letters, digits and underscores. Values are printable ASCII without commas, spaces and brackets.
 */
#ifndef UF_SPEC_H
#define UF_SPEC_H

#include "ultrafilter.h"

enum { SPEC_NAME = 24, SPEC_VALUE = 48, SPEC_PARAMS = 16 };

struct spec {
    char kind[SPEC_NAME];
    int keyed; /* inside "keyed(...)" */
    unsigned count;
    struct spec_param {
        char name[SPEC_NAME];
        char value[SPEC_VALUE];
    } param[SPEC_PARAMS];
};

int spec_parse(const char *text, struct spec *out, uf_error *why);
int spec_print(const struct spec *spec, uf_spec *out, uf_error *why);

/* The text of a parameter, NULL when it is not there. It lives as long as the spec is unchanged. */
const char *spec_text(const struct spec *spec, const char *name);

/* Whether it says how large the filter is, so that it can be made before its keys are known. */
static inline int spec_has_size(const struct spec *spec)
{
    return spec_text(spec, "n") || spec_text(spec, "bits");
}

/* Replaces or appends. UF_EINVAL when the text or the spec is too long. */
int spec_set_text(struct spec *spec, const char *name, const char *value, uf_error *why);
void spec_remove(struct spec *spec, const char *name);

/* Shorthands for numbers. The getters return 1 when found, 0 when absent, UF_EINVAL (negative) when not a number. */
int spec_get_number(const struct spec *spec, const char *name, double *out, uf_error *why);
int spec_get_count(const struct spec *spec, const char *name, uint64_t *out, uf_error *why);
int spec_get_seed(const struct spec *spec, const char *name, uint64_t *out, uf_error *why);
void spec_set_number(struct spec *spec, const char *name, double value);
void spec_set_rate(struct spec *spec, const char *name, double rate); /* six digits, rounded up: against ourselves */
void spec_set_seed(struct spec *spec, const char *name, uint64_t seed);

#endif
