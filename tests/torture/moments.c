/* SPDX-License-Identifier: MIT */
#include "moments.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "figure.h"
#include "random.h"
#include "stage.h"

enum { BATCH = 8, MOST_BATCHES = 32, LETTERS = 32 };

/* One batch of keys that a command works on: "ROUND-i". */
struct batch {
    unsigned round;
    int present; /* acknowledged to be in; -1: the command was killed, and either is right until it is looked at */
};

/* A file of keys that commands change, and what is known of it. */
struct list {
    const char *file, *spec;
    struct batch batch[MOST_BATCHES];
    size_t count;
};

struct model {
    struct stage *stage;
    uint64_t *seed;
    struct list plain, counted;
    unsigned round, charged, maybe; /* releases that were acknowledged; and killed on their way */
    double seconds[8];              /* that each command takes */
    unsigned kills, finished, wrong;
};

static void wrong(struct model *model, const char *what, const char *file)
{
    model->wrong++;
    complain("round %u: %s: %s", model->round, file, what);
}

static void write_batch(const struct model *model, unsigned round)
{
    FILE *file = fopen(stage_path(model->stage, "batch"), "w");
    assert_non_null(file);
    for (unsigned i = 0; i < BATCH; i++)
        (void)fprintf(file, "%u-%u\n", round, i);
    (void)fclose(file);
}

static unsigned found_of(const uf_filter *filter, unsigned round)
{
    char text[LETTERS];
    unsigned found = 0;
    for (unsigned i = 0; i < BATCH; i++) {
        int size = snprintf(text, sizeof text, "%u-%u", round, i);
        found += (unsigned)uf_query(filter, (uf_key){text, (size_t)size});
    }
    return found;
}

/* The file loads, and every batch is in it whole, or not at all, as was acknowledged. Rates are 1e-9: no chance. */
static void check_list(struct model *model, struct list *list)
{
    uf_filter *filter = NULL;
    uf_error why;
    if (uf_load(stage_path(model->stage, list->file), UF_FORMAT_UF, NULL, &filter, &why) != UF_OK) {
        wrong(model, why.text, list->file);
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        struct batch *batch = &list->batch[i];
        const unsigned found = found_of(filter, batch->round);
        if (found != 0 && found != BATCH)
            wrong(model, "a batch is there in part", list->file);
        else if (batch->present >= 0 && (found == BATCH) != batch->present)
            wrong(model, batch->present ? "an acknowledged batch is gone" : "a batch that was removed is back",
                  list->file);
        batch->present = found == BATCH;
    }
    uf_free(filter);
}

static void start_list(struct model *model, struct list *list)
{
    char words[256];
    list->count = 0;
    (void)snprintf(words, sizeof words, "build -q -o %s --spec %s /dev/null", list->file, list->spec);
    if (stage_command(model->stage, words) != 0)
        wrong(model, "cannot be built anew", list->file);
}

/* ---- commands: each says what it means for the model ---- */

/* Runs it, killed at a moment that lies in it. 1: it was acknowledged; 0: it was not; both are fine. */
static int run_killed(struct model *model, unsigned kind, const char *words)
{
    const double most = model->seconds[kind] * 1.3e6;
    const int code = stage_command_killed(model->stage, words, random_below(model->seed, (uint64_t)most + 1));
    model->seconds[kind] *= code == 0 ? 0.7 : 1.1; /* the machine is not always as fast */
    if (code == 0) {
        model->finished++;
        return 1;
    }
    model->kills++;
    if (code != -SIGKILL)
        wrong(model, "ended by itself, and not well", words);
    return 0;
}

static struct batch *new_batch(struct model *model, struct list *list)
{
    if (list->count == MOST_BATCHES)
        start_list(model, list);
    struct batch *batch = &list->batch[list->count++];
    *batch = (struct batch){model->round, -1};
    write_batch(model, batch->round);
    return batch;
}

static void do_insert(struct model *model, unsigned kind)
{
    struct batch *batch = new_batch(model, &model->plain);
    batch->present = run_killed(model, kind, "insert -q s.uf batch") ? 1 : -1;
}

static void do_count_in(struct model *model, unsigned kind)
{
    struct batch *batch = new_batch(model, &model->counted);
    batch->present = run_killed(model, kind, "insert -q n.uf batch") ? 1 : -1;
}

static void do_remove(struct model *model, unsigned kind)
{
    struct list *list = &model->counted;
    struct batch *present = NULL;
    for (size_t i = 0; i < list->count; i++)
        if (list->batch[i].present == 1)
            present = &list->batch[i];
    if (!present) {
        do_count_in(model, kind);
        return;
    }
    write_batch(model, present->round);
    present->present = run_killed(model, kind, "remove -q n.uf batch") ? 0 : -1;
}

/* A twin of one batch is merged in. */
static void do_merge(struct model *model, unsigned kind)
{
    struct batch *batch = new_batch(model, &model->plain);
    if (stage_command(model->stage, "build -q -o twin.uf --like s.uf batch") != 0)
        wrong(model, "a twin cannot be built", "twin.uf");
    batch->present = run_killed(model, kind, "merge -q -o s.uf s.uf twin.uf") ? 1 : -1;
}

static int count_releases(void *arg, const uf_ledger_entry *entry)
{
    (void)entry;
    ++*(unsigned *)arg;
    return 0;
}

/* A release that is there was charged; so was every one that was acknowledged. */
static void do_publish(struct model *model, unsigned kind)
{
    char words[256];
    unsigned entries = 0;
    uf_error why;
    (void)unlink(stage_path(model->stage, "pub.uf"));
    (void)snprintf(words, sizeof words,
                   "publish -q -o pub.uf --epsilon 1 --capacity 1000 --key-file k.key --label r%u --ledger l.ufl keys",
                   model->round);
    const int acknowledged = run_killed(model, kind, words);
    const int published = !access(stage_path(model->stage, "pub.uf"), F_OK);
    model->charged += (unsigned)acknowledged;
    model->maybe += !acknowledged;
    if (uf_ledger_read(stage_path(model->stage, "l.ufl"), count_releases, &entries, &why) != UF_OK) {
        wrong(model, why.text, "l.ufl");
        return;
    }
    uf_filter *filter = NULL;
    if (acknowledged && !published)
        wrong(model, "was acknowledged and is not there", "pub.uf");
    if (published && uf_load(stage_path(model->stage, "pub.uf"), UF_FORMAT_UF, NULL, &filter, &why) != UF_OK)
        wrong(model, why.text, "pub.uf");
    uf_free(filter);
    const unsigned least = 1 + model->charged + (unsigned)(published && !acknowledged);
    if (entries < least || entries > 1 + model->charged + model->maybe)
        wrong(model, "has more or fewer releases than there were", "l.ufl");
    model->maybe = entries - 1 - model->charged; /* what the ledger has of those that were killed */
}

static void do_sign(struct model *model, unsigned kind)
{
    uf_verify_key key;
    uf_error why;
    (void)unlink(stage_path(model->stage, "b.uf.sig"));
    const int acknowledged = run_killed(model, kind, "sign -q --key-file k.key b.uf");
    const int there = !access(stage_path(model->stage, "b.uf.sig"), F_OK);
    assert_status(UF_OK, uf_verify_key_load(stage_path(model->stage, "k.pub"), &key, &why), &why);
    if ((there && uf_check_signature(stage_path(model->stage, "b.uf"), NULL, &key, NULL, &why) != UF_OK) ||
        (acknowledged && !there))
        wrong(model, "is no signature", "b.uf.sig");
}

static void do_keygen(struct model *model, unsigned kind)
{
    uf_secret *secret = NULL;
    uf_error why;
    (void)unlink(stage_path(model->stage, "new.key"));
    const int acknowledged = run_killed(model, kind, "keygen -q -o new.key");
    const int there = !access(stage_path(model->stage, "new.key"), F_OK);
    if ((there && uf_secret_load(stage_path(model->stage, "new.key"), &secret, &why) != UF_OK) ||
        (acknowledged && !there))
        wrong(model, "is no key", "new.key");
    uf_secret_free(secret);
}

/* Over a file that is there: the old one or the new one. */
static void do_build(struct model *model, unsigned kind)
{
    uf_filter *filter = NULL;
    uf_error why;
    char words[128];
    (void)snprintf(words, sizeof words, "build -q -o built.uf --spec blocked:n=2e5,seed=0x%x keys more",
                   model->round % 7 + 1);
    (void)run_killed(model, kind, words);
    if (!access(stage_path(model->stage, "built.uf"), F_OK) &&
        uf_load(stage_path(model->stage, "built.uf"), UF_FORMAT_UF, NULL, &filter, &why) != UF_OK)
        wrong(model, why.text, "built.uf");
    uf_free(filter);
}

typedef void command(struct model *model, unsigned kind);

static command *const commands[8] = {do_insert,  do_count_in, do_remove, do_merge,
                                     do_publish, do_sign,     do_keygen, do_build};

/* How long each takes when nobody kills it. */
static void measure(struct model *model)
{
    static const char *const words[8] = {
        "insert -q s.uf keys",
        "insert -q n.uf keys",
        "remove -q n.uf keys",
        "merge -q -o s.uf s.uf b.uf.none",
        "publish -q -o pub.uf --epsilon 1 --capacity 1000 --key-file k.key --label first --ledger l.ufl keys",
        "sign -q --key-file k.key b.uf",
        "keygen -q -o new.key",
        "build -q -o built.uf --spec blocked:n=2e5,seed=0x1 keys more"};
    for (size_t i = 0; i < 8; i++) {
        double best = 1;
        for (int again = 0; again < 2; again++) {
            const double start = figure_clock();
            (void)stage_command(model->stage, words[i]);
            const double taken = figure_clock() - start;
            best = taken < best ? taken : best;
        }
        model->seconds[i] = best;
    }
    (void)unlink(stage_path(model->stage, "l.ufl"));
    (void)stage_command(model->stage, "publish -q -o pub.uf --epsilon 1 --capacity 1000 --key-file k.key --label first "
                                      "--ledger l.ufl --budget 1e6 keys");
}

/* Commands that end well leave no temporary file of the dead. */
static unsigned left_behind(const struct model *model)
{
    unsigned left = 0;
    DIR *dir = opendir(model->stage->work);
    assert_non_null(dir);
    for (struct dirent *entry; (entry = readdir(dir));)
        left += strstr(entry->d_name, ".~") != NULL;
    closedir(dir);
    return left;
}

static void check_leftovers(struct model *model)
{
    static const char *const words[] = {
        "insert -q s.uf keys", "insert -q n.uf more", "sign -q --key-file k.key b.uf",
        "build -q -o built.uf --spec blocked:n=2e5,seed=0x1 keys more",
        "publish -q -o pub.uf --epsilon 1 --capacity 1000 --key-file k.key --label first --ledger l.ufl keys"};
    (void)unlink(stage_path(model->stage, "new.key"));
    if (stage_command(model->stage, "keygen -q -o new.key") != 0)
        wrong(model, "fails after the kills", "keygen");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (stage_command(model->stage, words[i]) != 0)
            wrong(model, "fails after the kills", words[i]);
    if (left_behind(model))
        wrong(model, "temporary files are left", model->stage->work);
}

void moments_run(struct stage *stage, unsigned kills, uint64_t *seed)
{
    static struct model model;
    const uint64_t first = *seed;
    const double start = figure_clock();
    unsigned most_left = 0;
    model = (struct model){.stage = stage,
                           .seed = seed,
                           .plain = {.file = "s.uf", .spec = "bloom:n=1000,fpr=1e-9,seed=0x5eed"},
                           .counted = {.file = "n.uf", .spec = "counting:n=1000,fpr=1e-9,seed=0x5eed"}};
    start_list(&model, &model.plain);
    start_list(&model, &model.counted);
    measure(&model);
    start_list(&model, &model.plain);
    start_list(&model, &model.counted);
    while (model.kills < kills) {
        const unsigned kind = (unsigned)random_below(seed, 8);
        model.round++;
        commands[kind](&model, kind);
        check_list(&model, &model.plain);
        check_list(&model, &model.counted);
        const unsigned left = left_behind(&model);
        most_left = left > most_left ? left : most_left;
    }
    check_leftovers(&model);
    figure("kills at random moments", model.kills, 10000, model.wrong,
           "and %u that came too late; up to %u temporary files at a time, none in the end; SEED=0x%llx; %.0f s",
           model.finished, most_left, (unsigned long long)first, figure_clock() - start);
}
