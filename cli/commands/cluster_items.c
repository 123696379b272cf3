/* SPDX-License-Identifier: MIT */
/*
 * cluster add and query: keys are hashed here, block by block, and the digests of a block go to all parts at once. Each
 * thread has connections of its own, so that some hash while others wait for servers.
 */
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ask.h"
#include "cluster.h"
#include "cluster_session.h"
#include "human.h"
#include "keys.h"
#include "message.h"
#include "numbers.h"
#include "part_store.h"
#include "query.h"
#include "report.h"
#include "shared.h"
#include "store.h"

/* What a thread works with, until it gives it back. */
struct desk {
    struct ask *ask;
    uf_digest *digests;
    uint8_t *answers;
    size_t capacity;
    struct desk *next;
};

struct items {
    struct query query; /* first: the argument of the worker, which query.c fills in */
    struct asked filter;
    struct cluster_session *session;
    struct layout layout;
    enum ask_verb verb;
    pthread_mutex_t guard; /* of what follows */
    struct desk *free;     /* owned: desks that nobody works at */
    uint64_t refused;
};

/* ---- desks ---- */

static void desk_free(struct desk *desk)
{
    ask_close(desk->ask);
    free(desk->digests);
    free(desk->answers);
    free(desk);
}

static struct desk *desk_make(const struct items *items)
{
    struct desk *desk = calloc(1, sizeof *desk);
    if (!desk)
        (void)print_error("no memory for a connection");
    else if (!ask_open(items->session->router, &desk->ask))
        return desk;
    free(desk);
    return NULL;
}

static struct desk *desk_take(struct items *items)
{
    pthread_mutex_lock(&items->guard);
    struct desk *desk = items->free;
    if (desk)
        items->free = desk->next;
    pthread_mutex_unlock(&items->guard);
    return desk ? desk : desk_make(items);
}

static void desk_give_back(struct items *items, struct desk *desk, uint64_t refused)
{
    pthread_mutex_lock(&items->guard);
    desk->next = items->free;
    items->free = desk;
    items->refused += refused;
    pthread_mutex_unlock(&items->guard);
}

static int desk_reserve(struct desk *desk, size_t count)
{
    if (count <= desk->capacity)
        return 1;
    const size_t capacity = 2 * count;
    uf_digest *digests = reallocarray(desk->digests, capacity, sizeof *digests);
    if (digests)
        desk->digests = digests;
    uint8_t *answers = realloc(desk->answers, capacity);
    if (answers)
        desk->answers = answers;
    if (!digests || !answers)
        return 0;
    desk->capacity = capacity;
    return 1;
}

/* ---- blocks ---- */

/* Digests of all keys of a block. 0 when there is no memory, or a record without a key. */
static int hash_block(const struct items *items, struct desk *desk, struct keys_block *block, size_t *count)
{
    uf_key keys[KEYS_BATCH];
    const char *cursor = NULL;
    *count = 0;
    for (size_t step; (step = keys_next(block, &cursor, keys)); *count += step) {
        if (!desk_reserve(desk, *count + step))
            return print_error("no memory for digests"), 0;
        (void)uf_digest_many(items->filter.filter, keys, step, desk->digests + *count, NULL);
    }
    return !block->failed;
}

/* The records once more, now with their answers: what is printed stays in the block, or goes behind it. */
static int print_block(const struct items *items, const struct desk *desk, struct keys_block *block)
{
    uf_key keys[KEYS_BATCH], records[KEYS_BATCH];
    const uint64_t returns = block->returns;
    const uint8_t *answers = desk->answers;
    const char *cursor = NULL;
    char *kept = block->data;
    int fits = 1;
    for (size_t count; fits && (count = keys_next_records(block, &cursor, keys, records)); answers += count) {
        if (!items->query.answers)
            kept = query_keep(records, answers, count, items->query.selected, kept);
        for (size_t i = 0; items->query.answers && fits && i < count; i++)
            fits = query_add_answers(block, block->format, records[i], answers + i, 1, 1);
    }
    block->returns = returns;
    block->size = (size_t)(kept - block->data);
    return fits ? EXIT_FINE : print_error("no memory for the answers");
}

static int work(struct items *items, struct desk *desk, struct keys_block *block, uint64_t *refused)
{
    size_t count;
    if (!hash_block(items, desk, block, &count) ||
        ask_run(desk->ask, &items->layout, items->verb, desk->digests, count, desk->answers))
        return EXIT_ERROR;
    block->keys = count;
    for (size_t i = 0; i < count; i++) {
        block->hits += desk->answers[i] == 1;
        *refused += desk->answers[i] == ASK_REFUSED;
    }
    return items->query.print ? print_block(items, desk, block) : EXIT_FINE;
}

static enum keys_verdict work_block(void *arg, struct keys_block *block)
{
    struct items *items = arg;
    struct desk *desk = desk_take(items);
    uint64_t refused = 0;
    int status = desk ? work(items, desk, block, &refused) : EXIT_ERROR;
    if (desk)
        desk_give_back(items, desk, refused);
    if (status) {
        block->size = 0;
        return KEYS_FAILED;
    }
    const uint64_t selected = items->query.selected ? block->hits : block->keys - block->hits;
    return items->query.first_is_enough && selected ? KEYS_STOP : KEYS_GO_ON;
}

/* ---- the actions ---- */

typedef int runner(const struct args *args, struct items *items, struct keys_input *input, unsigned threads);

static int with_input(const struct args *args, struct items *items, runner *run)
{
    struct keys_input input;
    const unsigned threads = args_threads(args);
    if (!threads || keys_format_for(args, items->filter.filter, &items->filter.format) ||
        keys_open_operands(args, 2, &items->filter.format, &input))
        return EXIT_ERROR;
    int status = run(args, items, &input, threads);
    keys_close(&input);
    return status;
}

static int with_layout(const struct args *args, struct items *items, runner *run)
{
    uf_context context;
    if (store_open_any(args, &context))
        return EXIT_ERROR;
    int status = layout_hasher(&items->layout, &context, &items->filter.filter);
    store_close(&context);
    if (!status)
        status = part_check_all(items->session->router, &items->layout);
    if (!status)
        status = with_input(args, items, run);
    uf_free(items->filter.filter);
    return status;
}

static int run_items(const struct args *args, enum ask_verb verb, runner *run)
{
    struct cluster_session session;
    struct items items = {.verb = verb, .session = &session, .guard = PTHREAD_MUTEX_INITIALIZER};
    if (cluster_session_open(args, &session))
        return EXIT_ERROR;
    items.filter.path = session.name;
    items.query = (struct query){.filters = &items.filter, .count = 1};
    int status = layout_open(session.router, session.name, &items.layout);
    if (!status) {
        status = with_layout(args, &items, run);
        layout_close(&items.layout);
    }
    while (items.free) {
        struct desk *desk = items.free;
        items.free = desk->next;
        desk_free(desk);
    }
    cluster_session_close(&session);
    return status;
}

static int query(const struct args *args, struct items *items, struct keys_input *input, unsigned threads)
{
    items->query.first_is_enough = args_has(args, &option_cluster_quiet);
    return query_run(args, &items->query, work_block, input, threads);
}

int cluster_query(const struct args *args)
{
    static const struct option *const no_answers[] = {&option_cluster_quiet, &option_count, &option_json,
                                                      &option_invert};
    if (args_exclusive(args, &option_cluster_quiet, &option_count) ||
        args_exclusive(args, &option_cluster_quiet, &option_json))
        return EXIT_ERROR;
    for (size_t i = 0; i < sizeof no_answers / sizeof no_answers[0]; i++)
        if (args_exclusive(args, &option_answers, no_answers[i]))
            return EXIT_ERROR;
    return run_items(args, ASK_EXISTS, query);
}

static int report(const struct args *args, const struct items *items, const struct keys_totals *totals)
{
    if (items->refused)
        return print_error("%s: %s of %s keys were refused: parts of it are full, and it refuses more to keep its "
                           "rate; the others were added. Create a larger one (-n)",
                           items->layout.name, human_count((double)items->refused).text,
                           human_count((double)totals->keys).text);
    if (args_has(args, &option_json))
        return report_json(json_pack("{s:o, s:I, s:I}", "name", report_text(items->layout.name), "added",
                                     (json_int_t)totals->keys, "new", (json_int_t)totals->hits));
    if (!args_has(args, &option_cluster_quiet) && !items->query.print)
        (void)printf("%s  %s line%s added, %s of them new\n", items->layout.name,
                     human_count((double)totals->keys).text, totals->keys == 1 ? "" : "s",
                     human_count((double)totals->hits).text);
    return EXIT_FINE;
}

static int add(const struct args *args, struct items *items, struct keys_input *input, unsigned threads)
{
    struct keys_totals totals;
    items->query.selected = 1;
    items->query.print = args_has(args, &option_new);
    const struct keys_job job = {work_block, items, threads, items->query.print};
    return keys_run(input, &job, &totals) ? EXIT_ERROR : report(args, items, &totals);
}

int cluster_add(const struct args *args)
{
    if (args_exclusive(args, &option_new, &option_json))
        return EXIT_ERROR;
    return run_items(args, ASK_ADD, add);
}
