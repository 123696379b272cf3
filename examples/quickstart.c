/* SPDX-License-Identifier: MIT */
/*
 * Build a filter of three names, and ask for two.
 *
 *     cc quickstart.c $(pkg-config --cflags --libs ultrafilter) -o quickstart
 */
#include <stdio.h>
#include <ultrafilter.h>

int main(void)
{
    uf_key names[] = {{"alice", 5}, {"bob", 3}, {"carol", 5}};
    uf_spec spec;
    uf_filter *filter;
    uf_error why;
    if (uf_spec_parse("blocked:n=1000,fpr=0.001", &spec, &why) || uf_build(&spec, names, 3, NULL, &filter, &why))
        return fprintf(stderr, "%s\n", why.text), 1;
    printf("alice: %d, mallory: %d\n", uf_query(filter, names[0]), uf_query(filter, (uf_key){"mallory", 7}));
    uf_free(filter);
}
