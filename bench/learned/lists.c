/* SPDX-License-Identifier: MIT */
#include "lists.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char *read_file(const char *path, size_t *size)
{
    struct stat about;
    FILE *file = fopen(path, "re");
    char *text = NULL;
    if (file && fstat(fileno(file), &about) == 0) {
        *size = (size_t)about.st_size;
        text = malloc(*size + 1);
    }
    if (text && fread(text, 1, *size, file) != *size) {
        free(text);
        text = NULL;
    }
    if (!text) {
        fprintf(stderr, "uf_bench_learned: %s: cannot be read: %s\n", path, strerror(errno));
    }
    if (file) {
        fclose(file);
    }
    return text;
}

static size_t count_lines(const char *text, size_t size)
{
    size_t lines = 0;
    for (size_t i = 0; i < size; i++) {
        lines += text[i] == '\n';
    }
    return lines;
}

/* What follows the last newline is no key: these files end with one. */
static void cut_lines(struct list *list, size_t size)
{
    size_t start = 0, at = 0;
    for (size_t i = 0; i < size; i++) {
        if (list->text[i] == '\n') {
            list->keys[at++] = (uf_key){list->text + start, i - start};
            start = i + 1;
        }
    }
}

static int load_list(struct list *out, const char *folder, const char *name)
{
    char path[4096];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    out->text = read_file(path, &size);
    if (!out->text) {
        return -1;
    }
    out->count = count_lines(out->text, size);
    out->keys = malloc((out->count + 1) * sizeof *out->keys);
    if (!out->keys || !out->count) {
        fprintf(stderr, "uf_bench_learned: %s: %s\n", path, out->count ? "no memory" : "has no keys");
        return -1;
    }
    cut_lines(out, size);
    return 0;
}

int lists_load(struct lists *out, const char *name, const char *folder)
{
    *out = (struct lists){.name = name};
    int failed = load_list(&out->members, folder, "pos") || load_list(&out->train, folder, "neg_train") ||
                 load_list(&out->valid, folder, "neg_valid") || load_list(&out->test, folder, "neg_test");
    return failed ? -1 : 0;
}

static void free_list(struct list *list)
{
    free(list->text);
    free(list->keys);
}

void lists_free(struct lists *lists)
{
    free_list(&lists->members);
    free_list(&lists->train);
    free_list(&lists->valid);
    free_list(&lists->test);
}
