/* SPDX-License-Identifier: MIT */
/* The test vectors of docs/partitions.md, read from the page: hashes of filters, and the parts that follow from them.
 */
#include <stdio.h>

#include "arith.h"
#include "check.h"
#include "filter.h"
#include "hash.h"

enum { CELLS = 6, LINE = 1024 };

/* The cells of a row of the table, without blanks and quotes; 0 for any other line. */
static int read_row(char *line, char *cell[CELLS])
{
    int cells = 0;
    if (line[0] != '|')
        return 0;
    for (char *at = line + 1, *end; (end = strchr(at, '|')) && cells < CELLS; at = end + 1) {
        char *last = end;
        while (at < last && (*at == ' ' || *at == '`'))
            at++;
        while (last > at && (last[-1] == ' ' || last[-1] == '`'))
            last--;
        cell[cells++] = at;
        *last = 0;
    }
    return cells == CELLS && (!strcmp(cell[0], "xxh3") || !strcmp(cell[0], "siphash") || !strcmp(cell[0], "aes"));
}

static uf_secret *secret_from(const char *hex)
{
    unsigned char bytes[UF_SECRET_BYTES];
    uf_secret *secret = NULL;
    uf_error why;
    assert_int_equal(strlen(hex), 2 * sizeof bytes);
    for (size_t i = 0; i < sizeof bytes; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        bytes[i] = (unsigned char)byte;
    }
    assert_status(UF_OK, uf_secret_from_bytes(bytes, sizeof bytes, &secret, &why), &why);
    return secret;
}

static uf_filter *filter_for(const char *hash, const char *seed, int part, const uf_context *ctx)
{
    char text[200], where[32] = "";
    uf_filter *filter = NULL;
    uf_error why;
    if (part >= 0)
        (void)snprintf(where, sizeof where, ",part=%d/16", part);
    if (strcmp(hash, "xxh3") != 0)
        (void)snprintf(text, sizeof text, "keyed(blocked:n=100,seed=%s,prf=%s%s)", seed, hash, where);
    else
        (void)snprintf(text, sizeof text, "blocked:n=100,seed=%s%s", seed, where);
    uf_spec spec = spec_of(text);
    assert_status(UF_OK, uf_build(&spec, NULL, 0, ctx, &filter, &why), &why);
    return filter;
}

static void check_row(char *cell[CELLS])
{
    uf_context ctx = UF_CONTEXT_INIT;
    uf_secret *secret = cell[1][0] ? secret_from(cell[1]) : NULL;
    const uf_key key = {cell[3], strlen(cell[3])};
    unsigned char bytes[HASH_BYTES];
    char hex[2 * HASH_BYTES + 1];
    int part = atoi(cell[5]);
    ctx.secret = secret;
    uf_filter *whole = filter_for(cell[0], cell[2], -1, &ctx);
    struct hash128 hash = hash_key(&whole->hasher, key);
    hash_bytes(hash, bytes);
    for (size_t i = 0; i < HASH_BYTES; i++)
        (void)snprintf(hex + 2 * i, 3, "%02x", bytes[i]);
    assert_string_equal(hex, cell[4]);
    assert_int_equal(mul_high(hash.hi, 16), part);
    uf_filter *own = filter_for(cell[0], cell[2], part, &ctx);
    uf_filter *other = filter_for(cell[0], cell[2], (part + 1) % 16, &ctx);
    assert_int_equal(uf_add(own, key, NULL), 1);
    assert_int_equal(uf_add(other, key, NULL), UF_EPART);
    uf_free(own);
    uf_free(other);
    uf_free(whole);
    uf_secret_free(secret);
}

static void test_page(void **state)
{
    FILE *page = fopen(PAGE, "r");
    char line[LINE], *cell[CELLS];
    size_t rows = 0;
    (void)state;
    assert_non_null(page);
    while (fgets(line, sizeof line, page))
        if (read_row(line, cell)) {
            check_row(cell);
            rows++;
        }
    fclose(page);
    assert_true(rows >= 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_page)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
