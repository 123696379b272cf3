/* SPDX-License-Identifier: MIT */
/* Asks a filter about every line of standard input with the C library, and prints 1 or 0 for each. usage: ask FILTER */
#include <stdio.h>
#include <stdlib.h>

#include "ultrafilter.h"

int main(int argc, char **argv)
{
    uf_filter *filter;
    uf_error why;
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    if (argc != 2 || uf_load(argv[1], UF_FORMAT_UF, NULL, &filter, &why) != UF_OK)
        return 2;
    while ((length = getline(&line, &room, stdin)) > 0) {
        size_t size = (size_t)length - (line[length - 1] == '\n');
        puts(uf_query(filter, (uf_key){line, size}) ? "1" : "0");
    }
    free(line);
    uf_free(filter);
    return 0;
}
