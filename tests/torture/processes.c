/* SPDX-License-Identifier: MIT */
#include "processes.h"

#include <sys/wait.h>
#include <unistd.h>

#include "check.h"
#include "figure.h"
#include "folder.h"

enum { PROCESSES = 8, KEY = 8, BATCH = 1000 };

static void fill(unsigned char *keys, unsigned process, uint64_t from, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const uint64_t key = (from + i) * PROCESSES + process;
        memcpy(keys + i * KEY, &key, KEY);
    }
}

static int insert_keys(uf_filter *filter, unsigned process, uint64_t from, uint64_t to)
{
    unsigned char keys[BATCH * KEY];
    int status = UF_OK;
    for (uint64_t at = from; at < to && status == UF_OK; at += BATCH) {
        const size_t count = to - at < BATCH ? (size_t)(to - at) : BATCH;
        fill(keys, process, at, count);
        status = uf_insert_fixed(filter, keys, KEY, count, NULL);
    }
    return status;
}

/* Acknowledged when it is UF_OK. */
static int change(const char *path, unsigned process, uint64_t from, uint64_t to)
{
    uf_file_lock *lock = NULL;
    uf_filter *filter = NULL;
    int status = uf_lock_file(path, NULL, NULL, NULL, &lock, NULL);
    if (status == UF_OK)
        status = uf_load(path, UF_FORMAT_UF, NULL, &filter, NULL);
    if (status == UF_OK)
        status = insert_keys(filter, process, from, to);
    if (status == UF_OK)
        status = uf_save(filter, path, UF_FORMAT_UF, NULL);
    uf_free(filter);
    uf_unlock_file(lock);
    return status;
}

static int work(const char *path, unsigned process, uint64_t each, unsigned rounds)
{
    int status = UF_OK;
    for (unsigned round = 0; round < rounds && status == UF_OK; round++)
        status = change(path, process, each * round / rounds, each * (round + 1) / rounds);
    return status;
}

static uint64_t missed_of(const uf_filter *filter, unsigned process, uint64_t each)
{
    unsigned char keys[BATCH * KEY];
    uint8_t answers[BATCH];
    uint64_t missed = 0;
    for (uint64_t at = 0; at < each; at += BATCH) {
        const size_t count = each - at < BATCH ? (size_t)(each - at) : BATCH;
        fill(keys, process, at, count);
        uf_query_fixed(filter, keys, KEY, count, answers);
        for (size_t i = 0; i < count; i++)
            missed += !answers[i];
    }
    return missed;
}

static void make_file(const char *path, uint64_t keys)
{
    uf_spec spec = spec_of("blocked:fpr=0.001,seed=0x1");
    uf_filter *filter = NULL;
    char number[24];
    (void)snprintf(number, sizeof number, "%llu", (unsigned long long)keys);
    assert_status(UF_OK, uf_spec_set(&spec, "n", number, NULL), NULL);
    assert_status(UF_OK, uf_build(&spec, NULL, 0, NULL, &filter, NULL), NULL);
    assert_status(UF_OK, uf_save(filter, path, UF_FORMAT_UF, NULL), NULL);
    uf_free(filter);
}

void processes_run(uint64_t each, unsigned rounds)
{
    const struct folder folder = folder_make();
    char path[600];
    pid_t child[PROCESSES];
    uf_filter *filter = NULL;
    uint64_t wrong = 0;
    const double start = figure_clock();
    (void)snprintf(path, sizeof path, "%s/a.uf", folder.path);
    make_file(path, each * PROCESSES);
    for (unsigned i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        assert_true(child[i] >= 0);
        if (!child[i])
            _exit(work(path, i, each, rounds) == UF_OK ? 0 : 1);
    }
    for (unsigned i = 0; i < PROCESSES; i++) {
        int status = 1;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        wrong += status != 0;
    }
    assert_status(UF_OK, uf_load(path, UF_FORMAT_UF, NULL, &filter, NULL), NULL);
    for (unsigned i = 0; i < PROCESSES; i++)
        wrong += missed_of(filter, i, each);
    uf_free(filter);
    if (folder_entries(&folder) != 1)
        complain("8 processes: %zu files are left of one", folder_entries(&folder));
    folder_remove(&folder);
    figure("8 processes at one file", each * PROCESSES, 800000, wrong, "%u changes each; %.1f s", rounds,
           figure_clock() - start);
}
