/* SPDX-License-Identifier: MIT */
#include "spec.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "number.h"
#include "status.h"

static const char name_letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

/* Copies `length` bytes as a name. */
static int take_name(char out[SPEC_NAME], const char *text, size_t length, const char *what, uf_error *why)
{
    if (!length || length >= SPEC_NAME || strspn(text, name_letters) < length)
        return fail(why, UF_EINVAL,
                    "'%.*s' is not %s: use lower-case letters, digits and _, as in bloom:n=1e6,fpr=0.01",
                    (int)(length < 40 ? length : 40), text, what);
    memcpy(out, text, length);
    out[length] = 0;
    return UF_OK;
}

static unsigned find(const struct spec *spec, const char *name)
{
    unsigned i = 0;
    while (i < spec->count && strcmp(spec->param[i].name, name))
        i++;
    return i;
}

static int take_param(struct spec *spec, const char *text, size_t length, uf_error *why)
{
    char name[SPEC_NAME], value[SPEC_VALUE];
    const char *equals = memchr(text, '=', length);
    if (!equals)
        return fail(why, UF_EINVAL, "'%.*s' has no value: write name=value, separated by commas",
                    (int)(length < 40 ? length : 40), text);
    int status = take_name(name, text, (size_t)(equals - text), "a parameter name", why);
    if (status != UF_OK)
        return status;
    size_t size = length - (size_t)(equals + 1 - text);
    if (!size || size >= SPEC_VALUE)
        return fail(why, UF_EINVAL, "the value of '%s' is %s", name, size ? "too long" : "empty");
    memcpy(value, equals + 1, size);
    value[size] = 0;
    if (find(spec, name) < spec->count)
        return fail(why, UF_EINVAL, "'%s' is given twice", name);
    return spec_set_text(spec, name, value, why);
}

static int parse_child(const char *text, struct spec *out, uf_error *why)
{
    struct spec spec = {.count = 0};
    size_t length = strcspn(text, ":");
    int status = take_name(spec.kind, text, length, "a kind of filter", why);
    const char *at = text + length + (text[length] == ':');
    while (status == UF_OK && *at) {
        length = strcspn(at, ",");
        status = take_param(&spec, at, length, why);
        at += length;
        if (*at == ',' && !*++at && status == UF_OK)
            status = fail(why, UF_EINVAL, "the spec '%.80s' ends with a comma", text);
    }
    if (status == UF_OK)
        *out = spec;
    return status;
}

#define KEYED "keyed("

int spec_parse(const char *text, struct spec *out, uf_error *why)
{
    char child[sizeof(uf_spec)];
    size_t length = strlen(text), before = strlen(KEYED);
    if (strncmp(text, KEYED, before) != 0)
        return parse_child(text, out, why);
    if (length < before + 2 || text[length - 1] != ')')
        return fail(why, UF_EINVAL, "'%.80s' has no child, or no bracket after it: write keyed(bloom:n=1e6,fpr=0.01)",
                    text);
    if (length - before > sizeof child)
        return fail(why, UF_EINVAL, "the spec is longer than %zu characters", sizeof child - 1);
    memcpy(child, text + before, length - before - 1);
    child[length - before - 1] = 0;
    if (!strncmp(child, KEYED, before))
        return fail(why, UF_EINVAL, "'%.80s' is keyed twice: once is enough", text);
    int status = parse_child(child, out, why);
    if (status == UF_OK)
        out->keyed = 1;
    return status;
}

static void append(uf_spec *spec, size_t *used, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void append(uf_spec *spec, size_t *used, const char *format, ...)
{
    va_list args;
    size_t capacity = *used < sizeof spec->text ? sizeof spec->text - *used : 0;
    va_start(args, format);
    *used += (size_t)vsnprintf(capacity ? spec->text + *used : NULL, capacity, format, args);
    va_end(args);
}

int spec_print(const struct spec *spec, uf_spec *out, uf_error *why)
{
    uf_spec made;
    size_t used = 0;
    append(&made, &used, "%s%s", spec->keyed ? KEYED : "", spec->kind);
    for (unsigned i = 0; i < spec->count; i++)
        append(&made, &used, "%c%s=%s", i ? ',' : ':', spec->param[i].name, spec->param[i].value);
    append(&made, &used, "%s", spec->keyed ? ")" : "");
    if (used >= sizeof made.text)
        return fail(why, UF_EINVAL, "the spec is longer than %zu characters", sizeof made.text - 1);
    *out = made;
    return UF_OK;
}

const char *spec_text(const struct spec *spec, const char *name)
{
    unsigned i = find(spec, name);
    return i < spec->count ? spec->param[i].value : NULL;
}

static int is_value(const char *text)
{
    for (; *text; text++)
        if (*text <= ' ' || *text > '~' || strchr(",()", *text))
            return 0;
    return 1;
}

int spec_set_text(struct spec *spec, const char *name, const char *value, uf_error *why)
{
    unsigned i = find(spec, name);
    if (!*value || !is_value(value))
        return fail(why, UF_EINVAL,
                    "'%.40s' cannot be the value of '%.40s': no spaces, commas, brackets or odd characters", value,
                    name);
    if (!*name || name[strspn(name, name_letters)])
        return fail(why, UF_EINVAL, "'%.40s' is not a parameter name", name);
    if (strlen(name) >= SPEC_NAME || strlen(value) >= SPEC_VALUE || i == SPEC_PARAMS)
        return fail(why, UF_EINVAL, "the parameter '%.40s' does not fit into a spec", name);
    strcpy(spec->param[i].name, name);
    strcpy(spec->param[i].value, value);
    spec->count += i == spec->count;
    return UF_OK;
}

void spec_remove(struct spec *spec, const char *name)
{
    unsigned i = find(spec, name);
    if (i == spec->count)
        return;
    spec->count--;
    memmove(&spec->param[i], &spec->param[i + 1], (spec->count - i) * sizeof spec->param[0]);
}

int spec_get_number(const struct spec *spec, const char *name, double *out, uf_error *why)
{
    const char *text = spec_text(spec, name);
    if (!text)
        return 0;
    return number_parse(text, out) ? 1 : fail(why, UF_EINVAL, "%s=%s is not a number", name, text);
}

int spec_get_count(const struct spec *spec, const char *name, uint64_t *out, uf_error *why)
{
    const char *text = spec_text(spec, name);
    if (!text)
        return 0;
    return number_parse_count(text, out)
               ? 1
               : fail(why, UF_EINVAL, "%s=%s is not a whole number from 0 to 2^53, such as 1000000 or 1e6", name, text);
}

int spec_get_seed(const struct spec *spec, const char *name, uint64_t *out, uf_error *why)
{
    const char *text = spec_text(spec, name);
    if (!text)
        return 0;
    return number_parse_hex(text, out)
               ? 1
               : fail(why, UF_EINVAL, "%s=%s is not 0x and one to sixteen hexadecimal digits", name, text);
}

void spec_set_number(struct spec *spec, const char *name, double value)
{
    char text[SPEC_VALUE];
    number_format(value, text, sizeof text);
    (void)spec_set_text(spec, name, text, NULL);
}

void spec_set_rate(struct spec *spec, const char *name, double rate)
{
    if (rate > 1e-290 && rate < 1) {
        double unit = pow(10, floor(log10(rate)) - 5);
        double rounded = ceil(rate / unit * (1 - 1e-12)) * unit; /* a rate that has six digits stays as it is */
        char text[SPEC_VALUE];
        number_format_digits(rounded, 6, text, sizeof text);
        (void)spec_set_text(spec, name, text, NULL);
        return;
    }
    spec_set_number(spec, name, rate);
}

void spec_set_seed(struct spec *spec, const char *name, uint64_t seed)
{
    char text[SPEC_VALUE];
    (void)snprintf(text, sizeof text, "0x%016llx", (unsigned long long)seed);
    (void)spec_set_text(spec, name, text, NULL);
}
