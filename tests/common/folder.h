/* SPDX-License-Identifier: MIT */
/* A folder of one's own for files, under TMPDIR or /tmp. */
#ifndef UF_TEST_FOLDER_H
#define UF_TEST_FOLDER_H

#include <stddef.h>

struct folder {
    char path[512];
};

struct folder folder_make(void);
void folder_remove(const struct folder *folder); /* with everything in it */

/* "folder/name". The text lives until the next call but seven. */
const char *folder_file(const struct folder *folder, const char *name);
size_t folder_entries(const struct folder *folder);

#endif
