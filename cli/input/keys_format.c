/* SPDX-License-Identifier: MIT */
#include "keys_format.h"

#include <string.h>

#include "message.h"
#include "numbers.h"
#include "shared.h"

enum { MOST_FIELDS = 100000, MOST_WIDTH = 1 << 20 };

static enum keys_choice choice_of(const struct args *args, const struct option *option)
{
    const char *word = args_value(args, option);
    return !word ? STRIP_AND_WARN : !strcmp(word, "keep") ? KEEP : STRIP;
}

static int read_delimiter(const struct args *args, char *out)
{
    const char *text = args_value(args, &option_delimiter);
    *out = ',';
    if (!text)
        return EXIT_FINE;
    if (!args_has(args, &option_field) && !args_has(args, &option_column))
        return print_error("--delimiter %s needs --field or --column, which say where the key is", text);
    *out = !strcmp(text, "tab") || !strcmp(text, "\\t") ? '\t' : text[0];
    if (text[0] && (!text[1] || *out == '\t') && *out != '"' && *out != '\n' && *out != '\r')
        return EXIT_FINE;
    return print_error("--delimiter %s: not one character, such as , or ; and not the word tab", text);
}

static int read_fields(const struct args *args, struct keys_format *out)
{
    uint64_t field = 0;
    if (args_exclusive(args, &option_field, &option_column) || read_delimiter(args, &out->delimiter) ||
        args_whole(args, &option_field, 1, MOST_FIELDS, &field))
        return EXIT_ERROR;
    out->field = (unsigned)field;
    out->column = args_value(args, &option_column);
    return EXIT_FINE;
}

static int read_coding(const struct args *args, struct keys_format *out)
{
    static const struct option *const alone[] = {&option_null,   &option_field, &option_column, &option_hex,
                                                 &option_base64, &option_crlf,  &option_bom};
    uint64_t width = 0;
    if (args_exclusive(args, &option_hex, &option_base64) || args_whole(args, &option_binary, 1, MOST_WIDTH, &width))
        return EXIT_ERROR;
    for (size_t i = 0; width && i < sizeof alone / sizeof alone[0]; i++)
        if (args_exclusive(args, &option_binary, alone[i]))
            return EXIT_ERROR;
    out->width = (size_t)width;
    out->coding = args_has(args, &option_hex)      ? CODING_HEX
                  : args_has(args, &option_base64) ? CODING_BASE64
                                                   : CODING_NONE;
    return EXIT_FINE;
}

int keys_read_format(const struct args *args, struct keys_format *out)
{
    *out = (struct keys_format){.separator = args_has(args, &option_null) ? '\0' : '\n'};
    out->crlf = choice_of(args, &option_crlf);
    out->bom = choice_of(args, &option_bom);
    out->raw = args_has(args, &option_raw);
    if (read_fields(args, out) || read_coding(args, out) || args_exclusive(args, &option_raw, &option_crlf) ||
        args_exclusive(args, &option_raw, &option_bom))
        return EXIT_ERROR;
    if (out->raw)
        out->crlf = out->bom = KEEP;
    out->normal = (args_has(args, &option_lowercase) ? UF_NORMAL_LOWERCASE : 0u) |
                  (args_has(args, &option_trim) ? UF_NORMAL_TRIM : 0u) |
                  (out->crlf == KEEP && !args_has(args, &option_null) && !out->width ? UF_NORMAL_KEEPS_CR : 0u);
    return EXIT_FINE;
}

void keys_format_dcso(struct keys_format *format)
{
    if (format->bom == STRIP_AND_WARN)
        format->bom = KEEP_AND_WARN;
}

int keys_format_for(const struct args *args, const uf_filter *filter, struct keys_format *out)
{
    if (keys_read_format(args, out))
        return EXIT_ERROR;
    out->normal = uf_get_normal(filter);
    uf_spec plan;
    uf_get_plan(filter, &plan);
    if (!strcmp(uf_spec_kind(&plan), "dcso"))
        keys_format_dcso(out);
    if (out->normal & UF_NORMAL_KEEPS_CR && out->crlf == STRIP_AND_WARN)
        out->crlf = KEEP;
    return EXIT_FINE;
}
