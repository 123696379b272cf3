/* SPDX-License-Identifier: MIT */
#include "list.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "message.h"

/* Words past the second are notes for people. */
static int visit_line(const char *name, unsigned long number, char *line, list_visit *visit, void *arg)
{
    static const char blanks[] = " \t\r\n";
    struct address address;
    char *rest = NULL, *word = strtok_r(line, blanks, &rest);
    if (!word || word[0] == '#')
        return EXIT_FINE;
    if (address_parse(word, &address))
        return print_error("%s: line %lu: '%.60s' is not an address, such as 10.0.0.1 or 2001:db8::1", name, number,
                           word);
    return visit(arg, &address, strtok_r(NULL, blanks, &rest));
}

int list_read(const char *path, const char *what, list_visit *visit, void *arg)
{
    const int named = strcmp(path, "-") != 0;
    const char *name = named ? path : "standard input";
    FILE *file = named ? fopen(path, "r") : stdin;
    if (!file)
        return print_error("%s: cannot open %s: %s", name, what, strerror(errno));
    char *line = NULL;
    size_t capacity = 0;
    unsigned long number = 0;
    int status = EXIT_FINE;
    errno = 0;
    while (!status && getline(&line, &capacity, file) >= 0)
        status = visit_line(name, ++number, line, visit, arg);
    if (!status && !feof(file))
        status = print_error("%s: cannot read %s: %s", name, what, strerror(errno));
    free(line);
    if (named)
        (void)fclose(file);
    return status;
}
