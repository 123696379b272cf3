/* SPDX-License-Identifier: MIT */
/*
 * Writes the golden files of this version into a folder, and what each of them answers to the 256 probes, in
 * hexadecimal, probe 0 in the lowest bit of the first digit pair. See README.md before running it.
 * usage: make_golden FOLDER > FOLDER/answers.txt
 */
#include <stdio.h>

#include "check.h"
#include "golden.h"
#include "keys.h"

static void print_answers(const struct golden *golden, const uf_filter *filter)
{
    struct keys probes = keys_make("probe", PROBES);
    printf("%s ", golden->file);
    for (size_t i = 0; i < PROBES; i += 8) {
        unsigned byte = 0;
        for (size_t j = 0; j < 8; j++)
            byte |= (unsigned)uf_query(filter, probes.key[i + j]) << j;
        printf("%02x", byte);
    }
    printf("\n");
    keys_free(&probes);
}

int main(int argc, char **argv)
{
    char path[4096];
    int bad = 0;
    if (argc != 2) {
        fprintf(stderr, "usage: make_golden FOLDER > FOLDER/answers.txt\n");
        return 2;
    }
    for (size_t i = 0; i < GOLDENS; i++) {
        uf_filter *filter = NULL;
        uf_error why = {0, 0, ""};
        (void)snprintf(path, sizeof path, "%s/%s", argv[1], goldens[i].file);
        const uf_context ctx = golden_context(&goldens[i]);
        if (goldens[i].spec && !goldens[i].before)
            bad |= golden_build(&goldens[i], &filter, &why) || uf_save(filter, path, goldens[i].how, &why);
        else
            bad |= uf_load(path, goldens[i].how, &ctx, &filter, &why);
        if (filter)
            print_answers(&goldens[i], filter);
        if (why.status && bad)
            fprintf(stderr, "%s: %s\n", path, why.text);
        uf_free(filter);
    }
    (void)snprintf(path, sizeof path, "%s/model.ufm", argv[1]);
    return uf_model_save(subject_learning()->model, path, NULL) || bad;
}
