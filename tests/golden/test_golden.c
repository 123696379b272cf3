/* SPDX-License-Identifier: MIT */
/*
 * Files of every released version load and answer as they did, and what is written today is byte for byte what was
 * written then. usage: test_golden FOLDER
 */
#include <stdio.h>

#include "bytes.h"
#include "check.h"
#include "folder.h"
#include "golden.h"
#include "keys.h"
#include "paths.h"

static const char *folder;

static const char *path_of(const char *file)
{
    static char path[4096];
    (void)snprintf(path, sizeof path, "%s/%s", folder, file);
    return path;
}

/* The line of a file in answers.txt, as bytes. */
static void read_answers(const char *file, unsigned char answers[PROBES / 8])
{
    char name[64], hex[PROBES / 4 + 1];
    int found = 0;
    FILE *list = fopen(path_of("answers.txt"), "r");
    assert_non_null(list);
    while (!found && fscanf(list, "%63s %64s", name, hex) == 2)
        found = !strcmp(name, file);
    fclose(list);
    assert_that(found && strlen(hex) == PROBES / 4, "answers.txt has no line for %s", file);
    for (size_t i = 0; i < PROBES / 8; i++) {
        unsigned byte;
        assert_int_equal(sscanf(hex + 2 * i, "%2x", &byte), 1);
        answers[i] = (unsigned char)byte;
    }
}

static void check_answers(const struct golden *golden, const uf_filter *filter)
{
    unsigned char expected[PROBES / 8], got[PROBES / 8] = {0};
    struct keys keys = keys_make("key", golden->keys), probes = keys_make("probe", PROBES);
    read_answers(golden->file, expected);
    for (size_t i = 0; i < PROBES; i++)
        got[i / 8] |= (unsigned char)(uf_query(filter, probes.key[i]) << i % 8);
    size_t missed = 0;
    for (size_t i = golden->removed; i < golden->keys; i++)
        missed += !uf_query(filter, keys.key[i]);
    assert_int_equal(missed, golden_release_of(golden)->missed);
    assert_memory_equal(got, expected, sizeof got);
    keys_free(&keys);
    keys_free(&probes);
}

/* On every path that this machine has. */
static void test_loads_and_answers(void **state)
{
    const struct golden *golden = *state;
    for (int cpu = UF_CPU_AUTO; cpu <= LAST_PATH; cpu++) {
        uf_context ctx = golden_context(golden);
        uf_filter *filter = NULL;
        uf_error why;
        ctx.cpu = cpu;
        int status = uf_load(path_of(golden->file), golden->how, &ctx, &filter, &why);
        if (status == UF_EUNSUPPORTED && cpu > UF_CPU_SCALAR) {
            print_message("skipped: this machine has no %s\n", path_name(cpu));
            continue;
        }
        assert_status(UF_OK, status, &why);
        check_answers(golden, filter);
        uf_free(filter);
    }
}

/* Loaded and written again, and made anew from the same keys. */
static void test_written_as_then(void **state)
{
    const struct golden *golden = *state;
    struct bytes then = file_get_all(path_of(golden->file));
    uf_context ctx = golden_context(golden);
    uf_filter *filter;
    uf_error why;
    assert_status(UF_OK, uf_load(path_of(golden->file), golden->how, &ctx, &filter, &why), &why);
    struct bytes again = bytes_of(filter, golden->how);
    assert_true(bytes_equal(&then, &again));
    uf_free(filter);
    bytes_free(&again);
    if (golden->before) {
        bytes_free(&then);
        return;
    }
    assert_status(UF_OK, golden_build(golden, &filter, &why), &why);
    struct bytes now = bytes_of(filter, golden->how);
    assert_true(bytes_equal(&then, &now));
    uf_free(filter);
    bytes_free(&now);
    bytes_free(&then);
}

/* The model of those that are learned: loaded it scores as it does when it is trained anew, and is written as then. */
static void test_model(void **state)
{
    struct keys probes = keys_make("probe", PROBES);
    int32_t then[PROBES], now[PROBES];
    uf_model *model;
    uf_error why;
    (void)state;
    assert_status(UF_OK, uf_model_load(path_of("model.ufm"), NULL, &model, &why), &why);
    uf_model_score_many(model, probes.key, PROBES, then);
    uf_model_score_many(subject_learning()->model, probes.key, PROBES, now);
    assert_memory_equal(then, now, sizeof then);
    struct folder folder_now = folder_make();
    assert_status(UF_OK, uf_model_save(subject_learning()->model, folder_file(&folder_now, "model.ufm"), &why), &why);
    struct bytes old = file_get_all(path_of("model.ufm")), new = file_get_all(folder_file(&folder_now, "model.ufm"));
    assert_true(bytes_equal(&old, &new));
    folder_remove(&folder_now);
    bytes_free(&old);
    bytes_free(&new);
    uf_model_free(model);
    keys_free(&probes);
}

int main(int argc, char **argv)
{
    static struct CMUnitTest tests[2 * GOLDENS + 1];
    static char names[2 * GOLDENS][64];
    if (argc != 2) {
        fprintf(stderr, "usage: test_golden FOLDER\n");
        return 2;
    }
    folder = argv[1];
    for (size_t i = 0; i < GOLDENS; i++)
        for (size_t j = 0; j < 2; j++) {
            const char *what = j ? "is written as then" : "loads and answers";
            (void)snprintf(names[2 * i + j], sizeof names[0], "%s %s", goldens[i].file, what);
            tests[2 * i + j] = (struct CMUnitTest){names[2 * i + j], j ? test_written_as_then : test_loads_and_answers,
                                                   NULL, NULL, (void *)(uintptr_t)&goldens[i]};
        }
    tests[2 * GOLDENS] = (struct CMUnitTest)cmocka_unit_test(test_model);
    return _cmocka_run_group_tests("golden", tests, 2 * GOLDENS + 1, NULL, NULL);
}
