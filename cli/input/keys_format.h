/* SPDX-License-Identifier: MIT */
/* How keys lie in a file. */
#ifndef CLI_KEYS_FORMAT_H
#define CLI_KEYS_FORMAT_H

struct keys_format {
    char separator; /* what ends a key: a newline, or with -0 a NUL byte */
};

#endif
