/* SPDX-License-Identifier: MIT */
/*
 * Queries without a call, for loops that cannot wait for one: a view of a blocked filter, and keys that are numbers.
 * Where the library gives no view, as of filters with a key, uf_query answers the same.
 *
 *     cc -O2 inline_queries.c $(pkg-config --cflags --libs ultrafilter) -o inline_queries
 */
#include <stdio.h>
#include <ultrafilter_inline.h>

enum { MEMBERS = 1 << 16 };

int main(void)
{
    uf_spec spec;
    uf_error why;
    uf_filter *filter;
    uf_view view;
    size_t members = 0, others = 0;
    if (uf_spec_parse("blocked:n=65536,fpr=0.01", &spec, &why) != UF_OK ||
        uf_build(&spec, NULL, 0, NULL, &filter, &why) != UF_OK) {
        fprintf(stderr, "%s\n", why.text);
        return 1;
    }
    for (uint64_t number = 0; number < MEMBERS; number++) {
        unsigned char bytes[8]; /* of the key: the lowest comes first, which little-endian machines have anyway */
        for (int i = 0; i < 8; i++)
            bytes[i] = (unsigned char)(number >> 8 * i);
        (void)uf_insert(filter, (uf_key){bytes, sizeof bytes}, NULL);
    }
    if (uf_get_view(filter, UF_VIEW_LAYOUT, &view, sizeof view) != UF_OK) {
        fprintf(stderr, "no view of this filter: ask with uf_query\n");
        return 1;
    }
    for (uint64_t number = 0; number < MEMBERS; number++) {
        members += (size_t)uf_view_query64(&view, number);
        others += (size_t)uf_view_query64(&view, number + MEMBERS);
    }
    printf("found %zu of %d members and %zu of as many others\n", members, MEMBERS, others);
    uf_free(filter);
    return 0;
}
