/* SPDX-License-Identifier: MIT */
/*
 * Runs the drivers of calls.h: each with its k-th allocation refused, for every k until none is left to refuse, in
 * whatever library. A symbol of the library without a driver fails it, too.
 *
 * usage: torture_calls short|full SYMBOLS.txt
 */
#include "calls.h"

#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "figure.h"
#include "words.h"

/* ---- what calls work on ---- */

uf_filter *fresh(const struct world *world, const uf_filter *filter)
{
    uf_filter *copy = NULL;
    uf_error why;
    assert_status(UF_OK, uf_copy(filter, &world->ctx, &copy, &why), &why);
    return copy;
}

int take_nothing(void *arg, const void *data, size_t bytes)
{
    (void)data;
    *(size_t *)arg += bytes;
    return 0;
}

int filter_handed(int status, uf_filter *const *out)
{
    const int result = HANDED(status, *out);
    uf_free(*out);
    return result;
}

static uf_filter *filter_of(const struct world *world, const char *text, const struct keys *keys, size_t count)
{
    uf_spec spec = spec_of(text);
    uf_filter *filter = NULL;
    uf_error why;
    assert_status(UF_OK, uf_build(&spec, keys->key, count, &world->ctx, &filter, &why), &why);
    return filter;
}

static void make_lists(struct world *world)
{
    world->keys = keys_make("key", 2 * CALL_KEYS);
    world->good = words_make(0, 12, CALL_WORDS, 1);
    world->bad = words_make(1, 12, CALL_WORDS, 2);
    world->valid = words_make(1, 12, CALL_WORDS, 3);
    for (size_t i = 0; i <= CALL_KEYS; i++)
        world->offsets[i] = (int32_t)(8 * i);
    for (size_t i = 0; i < CALL_KEYS; i++)
        (void)snprintf((char *)world->packed + 8 * i, 8, "k%06zu", i);
}

static void make_model(struct world *world)
{
    uf_training how = UF_TRAINING_INIT;
    how.positives = world->good.key, how.positive_count = CALL_WORDS;
    how.negatives = world->bad.key, how.negative_count = CALL_WORDS;
    how.valid = world->valid.key, how.valid_count = CALL_WORDS;
    assert_status(UF_OK, uf_train(&how, NULL, &world->model, NULL), NULL);
    assert_status(UF_OK, uf_model_save(world->model, world->model_path, NULL), NULL);
    world->model_file = file_get_all(world->model_path);
    world->learning = (uf_learning)UF_LEARNING_INIT;
    world->learning.model = world->model;
    world->learning.valid = world->valid.key, world->learning.valid_count = CALL_WORDS;
    world->learning.force = 1;
    world->ctx.learning = &world->learning;
}

static void make_filters(struct world *world)
{
    world->counting = filter_of(world, "counting:n=2000,seed=0x1", &world->keys, CALL_KEYS);
    assert_status(UF_OK, uf_insert_fixed(world->counting, world->packed, 8, CALL_KEYS, NULL), NULL);
    world->growing = filter_of(world, "blocked:n=200,full=scale,seed=0x1", &world->keys, CALL_KEYS);
    world->window = filter_of(world, "blocked:n=200,window=3,seed=0x1", &world->keys, CALL_KEYS);
    world->keyed = filter_of(world, "keyed(blocked:n=1000,seed=0x1)", &world->keys, CALL_KEYS);
    world->parted = filter_of(world, "blocked:n=1000,parts=2,seed=0x1", &world->keys, CALL_KEYS);
    world->exact = filter_of(world, "bloom:n=1000,bits=16000,k=8", &world->keys, CALL_KEYS);
    world->dcso = filter_of(world, "dcso:n=1000", &world->keys, CALL_KEYS);
    world->learned = filter_of(world, "partition:fpr=0.1,seed=0x1", &world->good, CALL_WORDS);
    assert_status(UF_OK, uf_digest_many(world->keyed, world->keys.key, CALL_KEYS, world->digests, NULL), NULL);
}

static void make_files(struct world *world)
{
    const uf_purpose purpose = {sizeof purpose, "list", 2};
    file_put_all(world->key_path, secret_lines[0], SECRET_LINE);
    assert_int_equal(chmod(world->key_path, 0600), 0);
    assert_status(UF_OK, uf_save(world->keyed, world->path, UF_FORMAT_UF, NULL), NULL);
    world->file = file_get_all(world->path);
    assert_status(UF_OK, uf_sign_for(world->path, NULL, UF_SIGN_PUBLIC, &purpose, &world->ctx, NULL), NULL);
    uf_verify_key_of(world->ctx.secret, &world->key);
    assert_status(UF_OK, uf_load(world->path, UF_WITHOUT_KEY, NULL, &world->locked, NULL), NULL);
}

static void world_open(struct world *world)
{
    world->ctx = secret_context();
    world->folder = folder_make();
    (void)snprintf(world->path, sizeof world->path, "%s/a.uf", world->folder.path);
    (void)snprintf(world->model_path, sizeof world->model_path, "%s/a.ufm", world->folder.path);
    (void)snprintf(world->key_path, sizeof world->key_path, "%s/a.key", world->folder.path);
    (void)snprintf(world->new_path, sizeof world->new_path, "%s/new", world->folder.path);
    make_lists(world);
    make_model(world);
    make_filters(world);
    make_files(world);
}

static void world_close(struct world *world)
{
    uf_filter *const filters[] = {world->counting, world->growing, world->window, world->keyed, world->parted,
                                  world->learned,  world->exact,   world->dcso,   world->locked};
    struct keys *const lists[] = {&world->keys, &world->good, &world->bad, &world->valid};
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++)
        uf_free(filters[i]);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        keys_free(lists[i]);
    uf_model_free(world->model);
    bytes_free(&world->file);
    bytes_free(&world->model_file);
    folder_remove(&world->folder);
}

/* ---- running ---- */

static const char *running;
static uint64_t refused_at;

/* Before the process ends of it, which call did it. */
static void crashed(int signal)
{
    char text[160];
    int size = snprintf(text, sizeof text, "%s, allocation %llu refused: signal %d\n", running,
                        (unsigned long long)refused_at, signal);
    if (write(2, text, (size_t)size) == size)
        _exit(1);
    _exit(1);
}

enum { UNTOUCHED = 4711 };

static int run_once(struct world *world, const struct driver *driver, uint64_t at)
{
    refused_at = world->at = at;
    world->why = (uf_error){UNTOUCHED, 0, "?"};
    return driver->call(world);
}

/* Temporary files, and what should not be there after a failure. */
static int is_tidy(const struct world *world)
{
    return folder_entries(&world->folder) == 4; /* a.uf, a.uf.sig, a.ufm, a.key */
}

static int check_refusal(struct world *world, const struct driver *driver, uint64_t at, int *fired)
{
    const uint64_t blocks = refuse_blocks();
    const int status = run_once(world, driver, at);
    *fired = world->calls >= at;
    if (status != UF_OK && (!*fired || status != UF_ENOMEM))
        complain("%s, allocation %llu refused: gave %d: %s", driver->name, (unsigned long long)at, status,
                 world->why.text);
    else if (status != UF_OK && world->why.status != UNTOUCHED && (world->why.status != status || !world->why.text[0]))
        complain("%s, allocation %llu refused: it does not say why", driver->name, (unsigned long long)at);
    else if (refuse_blocks() != blocks)
        complain("%s, allocation %llu refused: %lld blocks are lost", driver->name, (unsigned long long)at,
                 (long long)(refuse_blocks() - blocks));
    else if (!is_tidy(world))
        complain("%s, allocation %llu refused: files are left behind", driver->name, (unsigned long long)at);
    else
        return 1;
    return 0;
}

struct tally {
    uint64_t refused, wrong, drivers;
};

static void run_driver(struct world *world, const struct driver *driver, int full, struct tally *tally)
{
    int fired = 1;
    running = driver->name;
    tally->drivers++;
    if (run_once(world, driver, 0) != UF_OK) {
        complain("%s: does not work: %s", driver->name, world->why.text);
        tally->wrong++;
        return;
    }
    const uint64_t step = full || world->calls < 60 ? 1 : world->calls / 40;
    for (uint64_t at = 1; fired; at += step) {
        tally->wrong += !check_refusal(world, driver, at, &fired);
        tally->refused += (uint64_t)fired;
    }
    if (run_once(world, driver, 0) != UF_OK) {
        complain("%s: does not work any more: %s", driver->name, world->why.text);
        tally->wrong++;
    }
}

/* ---- every symbol has a driver ---- */

static const struct driver *const lists[] = {filter_drivers, file_drivers, other_drivers};

static int has_driver(const char *name)
{
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        for (const struct driver *driver = lists[i]; driver->name; driver++)
            if (!strcmp(driver->name, name))
                return 1;
    return 0;
}

static uint64_t missing_drivers(const char *path, uint64_t *symbols)
{
    char name[128];
    uint64_t missing = 0;
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    for (*symbols = 0; fscanf(file, "%127s", name) == 1; ++*symbols)
        if (!has_driver(name)) {
            complain("%s has no driver: add one to calls_*.c", name);
            missing++;
        }
    (void)fclose(file);
    return missing;
}

int main(int argc, char **argv)
{
    static struct world world;
    struct tally tally = {0, 0, 0};
    uint64_t symbols = 0;
    if (argc != 3) {
        (void)fprintf(stderr, "usage: torture_calls short|full SYMBOLS.txt\n");
        return 2;
    }
    const int full = !strcmp(argv[1], "full");
    const uint64_t missing = missing_drivers(argv[2], &symbols);
    world_open(&world);
    (void)signal(SIGSEGV, crashed);
    (void)signal(SIGABRT, crashed);
    const double start = figure_clock();
    for (unsigned threads = 1; threads <= (full ? 3 : 1); threads += 2) {
        world.ctx.threads = threads;
        for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
            for (const struct driver *driver = lists[i]; driver->name; driver++)
                run_driver(&world, driver, full, &tally);
    }
    world_close(&world);
    figure("functions with every allocation refused", symbols - missing, symbols, tally.wrong + missing,
           "%llu refusals in all; %.1f s", (unsigned long long)tally.refused, figure_clock() - start);
    return figure_status();
}
