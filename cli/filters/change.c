/* SPDX-License-Identifier: MIT */
#include "change.h"

#include "attached.h"
#include "human.h"
#include "keys.h"
#include "message.h"
#include "progress.h"
#include "shared.h"
#include "spool.h"
#include "store.h"

struct work {
    const struct change *change;
    uf_filter *filter;
    unsigned format;    /* of its file */
    struct spool *list; /* NULL: none is wanted */
    struct change_tally tally;
    int status;
};

static int list_keys(struct spool *list, const uf_key *records, const uint8_t *listed, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (listed[i] && spool_add(list, records[i].data, records[i].size))
            return EXIT_ERROR;
    return EXIT_FINE;
}

static enum keys_verdict change_block(void *arg, struct keys_block *block)
{
    struct work *work = arg;
    uf_key keys[KEYS_BATCH], records[KEYS_BATCH];
    uint8_t listed[KEYS_BATCH] = {0};
    const char *cursor = NULL;
    for (size_t count; (count = keys_next_records(block, &cursor, keys, work->list ? records : NULL));) {
        work->status = work->change->apply(work->filter, keys, count, work->list ? listed : NULL, &work->tally);
        if (work->status != UF_OK || (work->list && list_keys(work->list, records, listed, count)))
            return KEYS_FAILED;
        block->keys += count;
    }
    return KEYS_GO_ON;
}

/* Asked before any key is read: a kind that cannot do it then fails at once, also with an empty input. */
static int check_can_change(const char *path, const struct change *change, uf_filter *filter)
{
    struct change_tally nothing = {0, 0, 0, 0};
    uf_info info;
    uf_released released;
    int status = change->apply(filter, NULL, 0, NULL, &nothing);
    uf_get_info(filter, &info, sizeof info);
    uf_get_released(filter, &released, sizeof released);
    if (released.mechanism)
        return print_error("%s: a released filter does not change: a key that joins after the noise (%s) would stand "
                           "there without any; release the new set",
                           path, released.mechanism);
    if (status == UF_EUNSUPPORTED)
        return print_error("%s: the kind %s %s", path, info.kind, change->cannot);
    return status == UF_OK ? EXIT_FINE : print_error("%s: %s", path, uf_status_text(status));
}

static int say_failed(const char *path, const uf_filter *filter, int status)
{
    uf_info info;
    if (status != UF_EFULL)
        return print_error("%s: %s; the file is unchanged", path, uf_status_text(status));
    uf_get_info(filter, &info, sizeof info);
    if (info.generations)
        return print_error(
            "%s: its newest generation is full: it was planned for %s keys and refuses more, to keep its "
            "rate; rotate it, or build one with larger generations (-n); the file is unchanged",
            path, human_count((double)info.capacity / info.generations).text);
    return print_error("%s: the filter is full: it was planned for %s keys and refuses more, to keep its rate; build a "
                       "larger one (-n), or one that grows (--full scale); the file is unchanged",
                       path, human_count((double)info.capacity).text);
}

static int change_all(const char *path, struct work *work, struct keys_input *input)
{
    const struct keys_job job = {.work = change_block, .arg = work, .threads = 1};
    struct keys_totals totals;
    progress_phase(work->change->phase, input->bytes);
    int status = keys_run(input, &job, &totals);
    if (work->status != UF_OK)
        return say_failed(path, work->filter, work->status);
    return status;
}

static int change_and_save(const struct args *args, struct work *work, struct keys_input *input)
{
    const char *path = args->operand[0];
    const unsigned format = args_has(args, &option_format) ? store_format(args, NULL) : work->format;
    if (change_all(path, work, input) || attached_settle(args, path, work->filter, format) ||
        store_save(work->filter, path, format))
        return EXIT_ERROR;
    if (work->list && spool_print(work->list))
        return EXIT_ERROR;
    return work->change->report(args, work->filter, &work->tally);
}

static int change_and_list(const struct args *args, struct work *work, struct keys_input *input)
{
    const bool lists = args_has(args, work->change->list);
    work->list = lists ? spool_new() : NULL;
    int status = lists && !work->list ? EXIT_ERROR : change_and_save(args, work, input);
    spool_free(work->list);
    return status;
}

/* What is changed in place cannot be packed: the file would be another. */
static int load(const char *path, const uf_context *context, uf_filter **out, unsigned *format)
{
    struct source source;
    if (source_open(path, "the filter", &source))
        return EXIT_ERROR;
    if (!source.unpacking)
        return store_load_source(&source, 0, context, out, format);
    source_close(&source);
    return print_error("%s: is compressed, and a filter that changes is written as it is; unpack it first", path);
}

int change_load(const struct args *args, uf_filter **out, unsigned *format)
{
    const char *path = args->operand[0];
    uf_context context;
    if (store_check_target(path) || store_open_any(args, &context))
        return EXIT_ERROR;
    int status = store_lock(path);
    if (!status)
        status = load(path, &context, out, format);
    store_close(&context);
    return status;
}

int change_run(const struct args *args, const struct change *change)
{
    const char *path = args->operand[0];
    struct work work = {.change = change};
    struct keys_input input;
    struct keys_format format;
    if (args_exclusive(args, change->list, &option_json))
        return EXIT_ERROR;
    int status = change_load(args, &work.filter, &work.format);
    if (status)
        return status;
    status = check_can_change(path, change, work.filter);
    if (!status)
        status = keys_format_for(args, work.filter, &format);
    if (!status)
        status = keys_open_operands(args, 1, &format, &input);
    if (!status) {
        status = change_and_list(args, &work, &input);
        keys_close(&input);
    }
    uf_free(work.filter);
    return status;
}
