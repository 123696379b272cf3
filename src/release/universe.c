/* SPDX-License-Identifier: MIT */
#include "universe.h"

#include <stdio.h>
#include <string.h>

#include "status.h"

#define RANGE_MOST UINT64_C(1000000000000000000) /* 10^18 */

enum { DIGITS_MOST = 18 };

/* ---- numbers ---- */

/* 1 when all of it is decimal digits, at most 19 of them. */
static int read_decimal(const char *text, size_t size, uint64_t *out)
{
    uint64_t value = 0;
    if (!size || size > 19)
        return 0;
    for (size_t i = 0; i < size; i++) {
        if (text[i] < '0' || text[i] > '9')
            return 0;
        value = value * 10 + (uint64_t)(text[i] - '0');
    }
    *out = value;
    return 1;
}

/* As a number prints itself. */
static int read_plain(const char *text, size_t size, uint64_t *out)
{
    return read_decimal(text, size, out) && (size == 1 || text[0] != '0');
}

/* Writes the last `digits` digits of a number. */
static void put_digits(char *out, uint64_t value, unsigned digits)
{
    while (digits--) {
        out[digits] = (char)('0' + value % 10);
        value /= 10;
    }
}

static unsigned count_digits(uint64_t value)
{
    unsigned digits = 1;
    for (; value >= 10; value /= 10)
        digits++;
    return digits;
}

static size_t put_plain(char *out, uint64_t value)
{
    unsigned digits = count_digits(value);
    put_digits(out, value, digits);
    return digits;
}

static uint64_t power_of_ten(unsigned exponent)
{
    uint64_t power = 1;
    while (exponent--)
        power *= 10;
    return power;
}

/* ---- addresses ---- */

static int read_address(const char *text, size_t size, uint64_t *out)
{
    const char *end = text + size;
    uint64_t address = 0, part;
    for (unsigned i = 0; i < 4; i++) {
        const char *dot = i < 3 ? memchr(text, '.', (size_t)(end - text)) : end;
        if (!dot || dot - text > 3 || !read_plain(text, (size_t)(dot - text), &part) || part > 255)
            return 0;
        address = address << 8 | part;
        text = dot + (i < 3);
    }
    *out = address;
    return 1;
}

static size_t put_address(char *out, uint64_t address)
{
    size_t used = 0;
    for (int shift = 24; shift >= 0; shift -= 8) {
        used += put_plain(out + used, address >> shift & 255);
        if (shift)
            out[used++] = '.';
    }
    return used;
}

/* ---- ranks and keys ---- */

int universe_rank(const uf_universe *universe, uf_key key, uint64_t *rank)
{
    uint64_t number;
    int legal = 0;
    switch (universe->shape) {
    case UNIVERSE_RANGE:
        legal = read_plain(key.data, key.size, &number);
        break;
    case UNIVERSE_IPV4:
        legal = key.size <= 15 && key.size && read_address(key.data, key.size, &number);
        break;
    case UNIVERSE_DIGITS:
        legal = key.size == universe->width && read_decimal(key.data, key.size, &number);
        break;
    case UNIVERSE_LIST:
        return listed_rank(universe, key, rank);
    }
    if (!legal || number < universe->first || number - universe->first >= universe->size)
        return 0;
    *rank = number - universe->first;
    return 1;
}

uf_key universe_key(const uf_universe *universe, uint64_t rank, char buffer[UNIVERSE_KEY])
{
    switch (universe->shape) {
    case UNIVERSE_RANGE:
        return (uf_key){buffer, put_plain(buffer, universe->first + rank)};
    case UNIVERSE_IPV4:
        return (uf_key){buffer, put_address(buffer, universe->first + rank)};
    case UNIVERSE_DIGITS:
        put_digits(buffer, rank, universe->width);
        return (uf_key){buffer, universe->width};
    default:
        return listed_key(universe, rank);
    }
}

/* ---- texts ---- */

static int parse_range(const char *text, uf_universe *out, uf_error *why)
{
    const char *dash = strchr(text, '-');
    uint64_t first, last;
    if (!dash || !read_decimal(text, (size_t)(dash - text), &first) ||
        !read_decimal(dash + 1, strlen(dash + 1), &last) || first > RANGE_MOST || last > RANGE_MOST)
        return fail(why, UF_EINVAL, "range:%.60s is not two numbers from 0 to 10^18: write range:1-1000000", text);
    if (last < first)
        return fail(why, UF_EINVAL, "range:%.60s is empty: it ends before it begins; write range:%llu-%llu", text,
                    (unsigned long long)last, (unsigned long long)first);
    out->first = first;
    out->size = last - first + 1;
    (void)snprintf(out->text, sizeof out->text, "range:%llu-%llu", (unsigned long long)first, (unsigned long long)last);
    return UF_OK;
}

static int parse_ipv4(const char *text, uf_universe *out, uf_error *why)
{
    const char *slash = strchr(text, '/');
    uint64_t address, prefix;
    char right[UNIVERSE_KEY] = "";
    if (!slash || !read_address(text, (size_t)(slash - text), &address))
        return fail(why, UF_EINVAL,
                    "ipv4:%.60s is not an address and a prefix: write four numbers from 0 to 255, as in "
                    "ipv4:10.0.0.0/8",
                    text);
    if (!read_plain(slash + 1, strlen(slash + 1), &prefix) || prefix > 32)
        return fail(why, UF_EINVAL, "ipv4:%.60s has no prefix from 0 to 32: write ipv4:10.0.0.0/8", text);
    out->size = UINT64_C(1) << (32 - prefix);
    out->first = address & ~(out->size - 1);
    put_address(right, out->first);
    (void)snprintf(out->text, sizeof out->text, "ipv4:%s/%llu", right, (unsigned long long)prefix);
    if (out->first != address)
        return fail(why, UF_EINVAL, "ipv4:%.60s has bits set behind its prefix: write %s", text, out->text);
    return UF_OK;
}

static int parse_digits(const char *text, uf_universe *out, uf_error *why)
{
    uint64_t width;
    if (!read_plain(text, strlen(text), &width) || width < 1 || width > DIGITS_MOST)
        return fail(why, UF_EINVAL, "digits:%.60s is not a width from 1 to %d: write digits:10", text, DIGITS_MOST);
    out->width = (unsigned)width;
    out->size = power_of_ten(out->width);
    (void)snprintf(out->text, sizeof out->text, "digits:%u", out->width);
    return UF_OK;
}

static int parse(const char *text, uf_universe *out, uf_error *why)
{
    static const struct {
        const char *name;
        enum universe_shape shape;
        int (*parse)(const char *text, uf_universe *out, uf_error *why);
    } shapes[] = {{"range:", UNIVERSE_RANGE, parse_range},
                  {"ipv4:", UNIVERSE_IPV4, parse_ipv4},
                  {"digits:", UNIVERSE_DIGITS, parse_digits}};
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++)
        if (!strncmp(text, shapes[i].name, strlen(shapes[i].name))) {
            out->shape = shapes[i].shape;
            return shapes[i].parse(text + strlen(shapes[i].name), out, why);
        }
    return fail(why, UF_EINVAL, "'%.60s' is not a universe: write range:1-1000000, ipv4:10.0.0.0/8 or digits:10", text);
}

int universe_parse(const char *text, const struct mem *mem, uf_universe **out, uf_error *why)
{
    uf_universe made = {.mem = *mem};
    int status = parse(text, &made, why);
    if (status != UF_OK)
        return status;
    uf_universe *universe = mem_alloc(mem, 1, sizeof *universe);
    if (!universe)
        return fail(why, UF_ENOMEM, "no memory for a universe");
    *universe = made;
    *out = universe;
    return UF_OK;
}

void universe_free(uf_universe *universe)
{
    if (!universe)
        return;
    struct mem mem = universe->mem;
    mem_free(&mem, universe->listed, universe->capacity, sizeof *universe->listed);
    mem_free(&mem, universe->bytes, universe->byte_count, 1);
    mem_free(&mem, universe, 1, sizeof *universe);
}
