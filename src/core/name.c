/* SPDX-License-Identifier: MIT */
#include "name.h"

#include <string.h>

int name_fits(const char *text, size_t capacity)
{
    size_t length = strlen(text);
    for (const char *at = text; *at; at++)
        if ((unsigned char)*at <= ' ' || *at == 127)
            return 0;
    return length && length < capacity;
}
