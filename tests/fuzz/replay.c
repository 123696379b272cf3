/* SPDX-License-Identifier: MIT */
/*
 * The corpora without a fuzzer: every file of CORPUS/NAME goes through the harness fuzz_NAME. For any compiler.
 * usage: replay CORPUS [NAME FILE]...      with files of the caller's own instead: what a fuzzer found
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

#define HARNESS(name) fuzz_harness fuzz_##name;
#include "harnesses.h"
#undef HARNESS

static const struct {
    const char *name;
    fuzz_harness *run;
} harnesses[] = {
#define HARNESS(name) {#name, fuzz_##name},
#include "harnesses.h"
#undef HARNESS
};

enum { HARNESSES = sizeof harnesses / sizeof harnesses[0], MOST_BYTES = 1 << 20 };

/* In a block of exactly its size, so that a sanitizer sees a read past it. */
static int run_file(fuzz_harness *run, const char *path)
{
    static uint8_t buffer[MOST_BYTES];
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        return 0;
    }
    size_t size = fread(buffer, 1, sizeof buffer, file);
    (void)fclose(file);
    uint8_t *data = malloc(size ? size : 1);
    if (!data)
        return 0;
    memcpy(data, buffer, size);
    (void)run(data, size);
    free(data);
    return 1;
}

/* How many files went through; -1 when there is none, which is no corpus. */
static int run_folder(const char *corpus, size_t harness)
{
    char path[4096];
    int count = 0;
    (void)snprintf(path, sizeof path, "%s/%s", corpus, harnesses[harness].name);
    DIR *folder = opendir(path);
    for (const struct dirent *entry; folder && (entry = readdir(folder));) {
        (void)snprintf(path, sizeof path, "%s/%s/%s", corpus, harnesses[harness].name, entry->d_name);
        if (entry->d_name[0] != '.')
            count += run_file(harnesses[harness].run, path);
    }
    if (folder)
        (void)closedir(folder);
    return count ? count : -1;
}

static int run_named(const char *name, const char *path)
{
    for (size_t i = 0; i < HARNESSES; i++)
        if (!strcmp(harnesses[i].name, name))
            return run_file(harnesses[i].run, path);
    return 0;
}

int main(int argc, char **argv)
{
    int failed = argc < 2 || argc % 2;
    for (int i = 2; !failed && i < argc; i += 2)
        failed = !run_named(argv[i], argv[i + 1]);
    for (size_t i = 0; !failed && argc == 2 && i < HARNESSES; i++) {
        int count = run_folder(argv[1], i);
        printf("%-12s %d inputs\n", harnesses[i].name, count);
        failed = count < 0;
    }
    return failed;
}
