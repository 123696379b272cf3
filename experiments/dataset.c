/* SPDX-License-Identifier: MIT */
#include "dataset.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "experiment.h"

#define WORDS "/usr/share/dict"

/* ---- reading ---- */

static int cannot_read(const char *path, const char *folder, uf_error *why)
{
    (void)snprintf(why->text, sizeof why->text, "%.200s: cannot read it: %s; %s", path, strerror(errno),
                   folder ? "--data takes a folder with pos.txt, neg_train.txt, neg_valid.txt and neg_test.txt"
                          : "install the word lists (Debian: wfrench, wbritish-huge), or give --data");
    return UF_EIO;
}

/* The whole file with a NUL behind it. */
static char *slurp(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;
    if (file && getdelim(&text, &size, '\0', file) < 0) {
        if (feof(file))
            errno = ENODATA;
        free(text);
        text = NULL;
    }
    if (file)
        (void)fclose(file);
    return text;
}

/* ---- keys ---- */

static int add(struct dataset_keys *keys, uf_key key)
{
    if ((keys->count & (keys->count - 1)) == 0) { /* a power of two: full */
        uf_key *grown = realloc(keys->key, (keys->count ? 2 * keys->count : 1) * sizeof *grown);
        if (!grown)
            return UF_ENOMEM;
        keys->key = grown;
    }
    keys->key[keys->count++] = key;
    return UF_OK;
}

/* A number that is the same for the same line, for samples and parts (FNV-1a, mixed). */
static uint64_t number_of(uf_key key)
{
    const unsigned char *bytes = key.data;
    uint64_t x = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < key.size; i++)
        x = (x ^ bytes[i]) * UINT64_C(0x100000001b3);
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return x ^ (x >> 32);
}

static int next_line(char **text, uf_key *out)
{
    *text += strspn(*text, "\r\n");
    *out = (uf_key){*text, strcspn(*text, "\r\n")};
    *text += out->size;
    return out->size > 0;
}

static int compare(const void *left, const void *right)
{
    const uf_key *a = left, *b = right;
    int order = memcmp(a->data, b->data, a->size < b->size ? a->size : b->size);
    return order ? order : (a->size > b->size) - (a->size < b->size);
}

int dataset_has(const struct dataset *dataset, uf_key key)
{
    return bsearch(&key, dataset->members.key, dataset->members.count, sizeof key, compare) != NULL;
}

/* ---- a dataset ---- */

static int add_members(struct dataset *dataset, uint64_t most, double *share)
{
    char *at = dataset->text[0];
    uint64_t lines = 0;
    uf_key key;
    int status = UF_OK;
    while (next_line(&at, &key))
        lines++;
    *share = lines > most ? (double)most / (double)lines : 1;
    at = dataset->text[0];
    while (status == UF_OK && next_line(&at, &key))
        if ((double)number_of(key) * 0x1p-64 < *share)
            status = add(&dataset->members, key);
    if (dataset->members.count)
        qsort(dataset->members.key, dataset->members.count, sizeof key, compare);
    return status;
}

/* part DATASET_SPLITS: the lines of one text are dealt out to all parts. */
static int add_others(struct dataset *dataset, char *text, int part, double share)
{
    uf_key key;
    int status = UF_OK;
    while (status == UF_OK && next_line(&text, &key)) {
        uint64_t number = number_of(key);
        if ((double)number * 0x1p-64 < share && !dataset_has(dataset, key))
            status = add(&dataset->others[part < DATASET_SPLITS ? part : (int)(number % DATASET_SPLITS)], key);
    }
    return status;
}

static int read_texts(const char *folder, struct dataset *out, uf_error *why)
{
    static const char *const words[] = {"french", "british-english-huge", NULL};
    static const char *const names[] = {"pos.txt", "neg_train.txt", "neg_valid.txt", "neg_test.txt", NULL};
    const char *const *name = folder ? names : words;
    for (size_t i = 0; name[i]; i++) {
        char path[PATH_MAX];
        (void)snprintf(path, sizeof path, "%s/%s", folder ? folder : WORDS, name[i]);
        out->text[i] = slurp(path);
        if (!out->text[i])
            return cannot_read(path, folder, why);
    }
    return UF_OK;
}

static int too_few(const struct dataset *dataset)
{
    int few = dataset->members.count < 100;
    for (int part = 0; part < DATASET_SPLITS; part++)
        few = few || dataset->others[part].count < 100;
    return few;
}

int dataset_read(const char *folder, uint64_t most, struct dataset *out, uf_error *why)
{
    double share = 1;
    *out = (struct dataset){.members = {NULL, 0}};
    int status = read_texts(folder, out, why), memory = UF_OK;
    if (status == UF_OK)
        memory = add_members(out, most, &share);
    for (int i = 1; i <= DATASET_SPLITS && out->text[i] && status == UF_OK && memory == UF_OK; i++)
        memory = add_others(out, out->text[i], folder ? i - 1 : DATASET_SPLITS, share);
    if (memory != UF_OK)
        status = experiment_fail(why, memory);
    if (status == UF_OK && too_few(out)) {
        (void)snprintf(why->text, sizeof why->text, "%.200s: too few keys; at least 100 of each kind are needed",
                       folder ? folder : WORDS);
        status = UF_EINVAL;
    }
    if (status != UF_OK)
        dataset_free(out);
    return status;
}

void dataset_free(struct dataset *dataset)
{
    free(dataset->members.key);
    for (int part = 0; part < DATASET_SPLITS; part++)
        free(dataset->others[part].key);
    for (int i = 0; i <= DATASET_SPLITS; i++)
        free(dataset->text[i]);
    *dataset = (struct dataset){.members = {NULL, 0}};
}
