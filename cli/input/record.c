/* SPDX-License-Identifier: MIT */
/*
 * Fields are those of RFC 4180: between delimiters; one that begins with a quote ends with a quote, has any bytes in
 * between, separators too, and two quotes for each of its own. A quote inside any other field is a byte like others.
 */
#include "record.h"

#include <string.h>

/* ---- where records end ---- */

enum { FIELD_START, FIELD, QUOTED, QUOTE_IN_QUOTED };

static int next_state(const struct keys_format *format, int state, char byte)
{
    if (state == QUOTED)
        return byte == '"' ? QUOTE_IN_QUOTED : QUOTED;
    if (byte == format->delimiter || byte == format->separator)
        return FIELD_START;
    if (byte == '"' && state != FIELD)
        return QUOTED; /* also two of them inside a quoted field */
    return FIELD;
}

/* Lines without a quote, which are most, cost two memchr; the others a look at each byte. */
static size_t quoted_end(const struct keys_format *format, struct record_search *search, const char *data, size_t size)
{
    size_t whole = 0, at = search->done;
    while (at < size) {
        const char *stop = search->state == FIELD_START ? memchr(data + at, format->separator, size - at) : NULL;
        if (stop && !memchr(data + at, '"', (size_t)(stop - data) - at)) {
            whole = at = (size_t)(stop - data) + 1;
            continue;
        }
        const bool inside = search->state == QUOTED;
        search->state = next_state(format, search->state, data[at]);
        if (data[at++] == format->separator && !inside)
            whole = at;
    }
    search->done = size - whole;
    return whole;
}

size_t record_end(const struct keys_format *format, struct record_search *search, const char *data, size_t size)
{
    if (format->width)
        return size - size % format->width;
    if (keys_have_fields(format))
        return quoted_end(format, search, data, size);
    const char *fresh = data + search->done, *last = memrchr(fresh, format->separator, size - search->done);
    size_t whole = last ? (size_t)(last - data) + 1 : 0;
    search->done = size - whole;
    return whole;
}

size_t record_length(const struct keys_format *format, const char *data, size_t size)
{
    if (format->width)
        return format->width;
    const char *stop = memchr(data, format->separator, size);
    size_t at = (size_t)(stop - data) + 1;
    if (!keys_have_fields(format) || !memchr(data, '"', at))
        return at;
    int state = FIELD_START;
    for (at = 0; at < size; at++) {
        const bool inside = state == QUOTED;
        state = next_state(format, state, data[at]);
        if (data[at] == format->separator && !inside)
            return at + 1;
    }
    return size; /* a quote that the end of the file left open */
}

/* ---- fields ---- */

/* Reads a quoted field from behind its quote. Where it ends, or NULL. */
static const char *read_quoted(const char *at, const char *end, char **scratch, uf_key *out)
{
    char *to = *scratch;
    out->data = to;
    for (; at < end; at++) {
        if (*at == '"' && (++at == end || *at != '"')) {
            out->size = (size_t)(to - *scratch);
            *scratch = to;
            return at;
        }
        *to++ = *at;
    }
    return NULL;
}

/* Reads the field at *at and moves on to the next; *at is NULL when there is none. */
static const char *next_field(const struct keys_format *format, const char **at, const char *end, char **scratch,
                              uf_key *out)
{
    const char *stop;
    if (*at < end && **at == '"') {
        stop = read_quoted(*at + 1, end, scratch, out);
        if (!stop)
            return "has a quote that is not closed";
        if (stop < end && *stop != format->delimiter)
            return "has something between a closing quote and the next delimiter";
    } else {
        stop = memchr(*at, format->delimiter, (size_t)(end - *at));
        if (!stop)
            stop = end;
        *out = (uf_key){*at, (size_t)(stop - *at)};
    }
    *at = stop < end ? stop + 1 : NULL;
    return NULL;
}

static const char *find_field(const struct keys_format *format, unsigned field, uf_key record, char **scratch,
                              uf_key *out)
{
    const char *at = record.data, *end = at + record.size, *wrong = NULL;
    char *start = *scratch;
    for (unsigned i = 0; at && !wrong && i < field; i++) {
        *scratch = start;
        wrong = next_field(format, &at, end, scratch, out);
        if (!wrong && i + 1 == field)
            return NULL;
    }
    return wrong ? wrong : "has fewer fields than that";
}

unsigned record_find_column(const struct keys_format *format, uf_key record, char *scratch)
{
    const char *at = record.data, *end = at + record.size;
    const size_t length = strlen(format->column);
    uf_key name;
    for (unsigned i = 1; at; i++) {
        char *room = scratch;
        if (next_field(format, &at, end, &room, &name))
            return 0;
        if (name.size == length && !memcmp(name.data, format->column, length))
            return i;
    }
    return 0;
}

/* ---- codings ---- */

static int digit_of(unsigned char byte)
{
    if (byte >= '0' && byte <= '9')
        return byte - '0';
    byte |= 32;
    return byte >= 'a' && byte <= 'f' ? byte - 'a' + 10 : -1;
}

static const char *decode_hex(uf_key text, char **scratch, uf_key *out)
{
    const unsigned char *digit = text.data;
    char *to = *scratch;
    if (text.size % 2)
        return "has an odd number of hexadecimal digits";
    for (size_t i = 0; i < text.size; i += 2) {
        int high = digit_of(digit[i]), low = digit_of(digit[i + 1]);
        if (high < 0 || low < 0)
            return "is not hexadecimal";
        *to++ = (char)(high << 4 | low);
    }
    *out = (uf_key){*scratch, text.size / 2};
    *scratch = to;
    return NULL;
}

/* Both alphabets: + and /, or - and _. */
static int sextet_of(unsigned char byte)
{
    if (byte >= 'A' && byte <= 'Z')
        return byte - 'A';
    if (byte >= 'a' && byte <= 'z')
        return byte - 'a' + 26;
    if (byte >= '0' && byte <= '9')
        return byte - '0' + 52;
    return byte == '+' || byte == '-' ? 62 : byte == '/' || byte == '_' ? 63 : -1;
}

static const char *decode_base64(uf_key text, char **scratch, uf_key *out)
{
    static const char wrong[] = "is not base64";
    const unsigned char *letter = text.data;
    size_t size = text.size;
    char *to = *scratch;
    unsigned bits = 0, have = 0;
    while (size && text.size % 4 == 0 && text.size - size < 2 && letter[size - 1] == '=')
        size--;
    for (size_t i = 0; i < size; i++) {
        int sextet = sextet_of(letter[i]);
        if (sextet < 0)
            return wrong;
        bits = bits << 6 | (unsigned)sextet;
        have += 6;
        if (have >= 8) {
            have -= 8;
            *to++ = (char)(bits >> have & 0xff);
        }
    }
    if (size % 4 == 1 || bits & ((1u << have) - 1))
        return wrong;
    *out = (uf_key){*scratch, (size_t)(to - *scratch)};
    *scratch = to;
    return NULL;
}

/* ---- normalising ---- */

static bool is_blank(char byte)
{
    return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

static void trim(uf_key *key)
{
    const char *from = key->data, *end = from + key->size;
    while (from < end && is_blank(*from))
        from++;
    while (end > from && is_blank(end[-1]))
        end--;
    *key = (uf_key){from, (size_t)(end - from)};
}

static void lowercase(uf_key *key, char **scratch)
{
    const char *from = key->data;
    char *to = *scratch;
    for (size_t i = 0; i < key->size; i++)
        to[i] = (char)(from[i] >= 'A' && from[i] <= 'Z' ? from[i] | 32 : from[i]);
    key->data = to;
    *scratch = to + key->size;
}

const char *record_key(const struct keys_format *format, unsigned field, uf_key record, char **scratch, uf_key *out)
{
    char *start = *scratch;
    const char *wrong = NULL;
    *out = record;
    if (field)
        wrong = find_field(format, field, record, scratch, out);
    if (!wrong && format->coding) {
        *scratch = start; /* what is decoded is shorter than where it comes from, which may be here */
        wrong = format->coding == CODING_HEX ? decode_hex(*out, scratch, out) : decode_base64(*out, scratch, out);
    }
    if (!wrong && format->normal & UF_NORMAL_TRIM)
        trim(out);
    if (!wrong && format->normal & UF_NORMAL_LOWERCASE) {
        *scratch = start;
        lowercase(out, scratch);
    }
    return wrong;
}
