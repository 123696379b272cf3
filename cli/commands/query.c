/* SPDX-License-Identifier: MIT */
/* query: a grep for sets. The keys selected are moved together inside their block, so printing needs no
 * memory of its own. Several filters at once, and an answer for each key, are in query_each.c. */
#include "query.h"

#include "commands.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "key_list.h"
#include "keys.h"
#include "learning.h"
#include "message.h"
#include "numbers.h"
#include "progress.h"
#include "purpose.h"
#include "report.h"
#include "secret.h"
#include "shared.h"
#include "store.h"

const struct option option_count = {'c', "count", VALUE_NONE, NULL,
                                    "Print how many keys were found instead of the keys."};
const struct option option_invert = {'v', "invert", VALUE_NONE, NULL, "Select the keys that are not in the set."};
static const struct option option_silent = {'q', "quiet", VALUE_NONE, NULL,
                                            "Print nothing and stop at the first key selected."};
static const struct option option_need_mac = {
    0, "mac", VALUE_NONE, NULL, "Refuse a filter that was not signed with the key of --key-file, or altered since."};
static const struct option option_mmap = {0, "mmap", VALUE_NONE, NULL,
                                          "Map the filter instead of reading it: answers start at once, checksums of "
                                          "the payload are not checked, and the file must not be cut meanwhile."};
static const struct option option_early_exit = {
    0, "early-exit", VALUE_NONE, NULL,
    "Stop soon after a zero bit of a key. Faster, but the time taken then tells where it was."};
static const struct option option_query_scores = {
    0, "scores", VALUE_FILE, "FILE", "Scores of the keys, one number a line, for a filter that was built from scores."};

static const struct option option_also = {
    0, "also", VALUE_FILE, "G.uf",
    "Ask this filter, too, and print which one has a key: F.uf, a tab, the key. May be given several times."};
const struct option option_answers = {
    0, "answers", VALUE_NONE, NULL,
    "Print every key, a tab, and 1 or 0; one such column for each filter. What has come in is answered at once."};

char *query_keep(const uf_key *records, const uint8_t *answers, size_t count, uint8_t selected, char *to)
{
    for (size_t i = 0; i < count;) {
        const char *from = records[i].data, *end = from;
        for (; i < count && answers[i] == selected && records[i].data == end; i++)
            end += records[i].size;
        memmove(to, from, (size_t)(end - from));
        to += end - from;
        while (i < count && answers[i] != selected)
            i++;
    }
    return to;
}

uint64_t query_sum(const uint8_t *answers, size_t count)
{
    uint64_t found = 0;
    for (size_t i = 0; i < count; i++)
        found += answers[i];
    return found;
}

static enum keys_verdict query_block(void *arg, struct keys_block *block)
{
    struct query *query = arg;
    uf_key keys[KEYS_BATCH], records[KEYS_BATCH];
    uint8_t answers[KEYS_BATCH];
    const char *cursor = NULL;
    char *kept = block->data;
    for (size_t count; (count = keys_next_records(block, &cursor, keys, query->print ? records : NULL));) {
        query_ask(query, 0, keys, count, answers);
        block->keys += count;
        block->hits += query_sum(answers, count);
        if (query->print)
            kept = query_keep(records, answers, count, query->selected, kept);
    }
    block->size = (size_t)(kept - block->data);
    if (query->watch)
        query_watch_warn(query);
    uint64_t selected = query->selected ? block->hits : block->keys - block->hits;
    return query->first_is_enough && selected ? KEYS_STOP : KEYS_GO_ON;
}

static int print_json(const struct query *query, const struct keys_totals *totals)
{
    json_t *object = json_pack("{s:I, s:I}", "queried", (json_int_t)totals->keys, "found", (json_int_t)totals->hits);
    json_t *list = query->count > 1 ? json_array() : NULL;
    for (size_t i = 0; list && i < query->count; i++)
        (void)json_array_append_new(list, json_pack("{s:o, s:I}", "file", report_text(query->filters[i].path), "found",
                                                    (json_int_t)query->filters[i].found));
    if (list)
        (void)json_object_set_new(object, "filters", list);
    if (query->watch)
        (void)json_object_set_new(object, "watch", query_watch_object(query->watch));
    return report_json(object);
}

static int print_count(const struct args *args, const struct query *query, const struct keys_totals *totals,
                       uint64_t selected)
{
    if (args_has(args, &option_json))
        return print_json(query, totals);
    if (!args_has(args, &option_count))
        return EXIT_FINE;
    if (query->count == 1 || !query->selected)
        (void)printf("%" PRIu64 "\n", selected);
    for (size_t i = 0; query->count > 1 && query->selected && i < query->count; i++)
        (void)printf("%s\t%" PRIu64 "\n", query->filters[i].path, query->filters[i].found);
    return EXIT_FINE;
}

int query_run(const struct args *args, struct query *query, keys_worker *work, struct keys_input *input,
              unsigned threads)
{
    const bool quiet = query->first_is_enough;
    query->selected = !args_has(args, &option_invert);
    query->answers = args_has(args, &option_answers);
    query->print = !quiet && !args_has(args, &option_count) && !args_has(args, &option_json);
    /* With -q a second thread waiting for a slow pipe would delay the end. */
    const struct keys_job job = {work, query, quiet && !input->regular ? 1 : threads, query->print};
    struct keys_totals totals;
    if (query->print && (query->answers || isatty(STDOUT_FILENO)))
        progress_start(PROGRESS_NEVER); /* the keys themselves are on the screen, or a program waits for each answer */
    progress_phase("querying", input->bytes);
    if (keys_run(input, &job, &totals))
        return EXIT_ERROR;
    uint64_t selected = query->selected ? totals.hits : totals.keys - totals.hits;
    if (query->watch && !quiet && !args_has(args, &option_json))
        query_watch_print(query);
    if (print_count(args, query, &totals, selected))
        return EXIT_ERROR;
    return selected ? EXIT_FINE : EXIT_NONE;
}

static int needs_signature(const struct args *args)
{
    return args_has(args, &option_verify_key) || args_has(args, &option_need_mac);
}

/* Whose key signed it is the question, so one is named. */
static int check_mac_key(const struct args *args)
{
    size_t at = 0;
    if (args_require(args, &option_key_file))
        return EXIT_ERROR;
    (void)args_next(args, &option_key_file, &at);
    return args_next(args, &option_key_file, &at)
               ? print_error("--mac takes one --key-file: the key that the filter must be signed with")
               : EXIT_FINE;
}

static int check_signed(const struct args *args)
{
    const struct option *said = args_has(args, &option_verify_key) ? &option_verify_key : &option_need_mac;
    struct purpose none;
    if (!needs_signature(args))
        return purpose_open(args, 0, &none);
    if (args_has(args, &option_mmap))
        return print_error("%s and --mmap contradict each other: a mapped file can change after it was checked",
                           args_label(args, said).text);
    if (args_exclusive(args, &option_verify_key, &option_need_mac))
        return EXIT_ERROR;
    return args_has(args, &option_need_mac) ? check_mac_key(args) : EXIT_FINE;
}

/* Signature and filter are checked on the same bytes, before the first answer. */
static int load_signed(const struct args *args, const char *path, const uf_context *context, uf_filter **out)
{
    struct purpose purpose;
    uf_verify_key key, *given;
    uf_signed said;
    uf_error why;
    if (!strcmp(path, "-"))
        return print_error("-: a filter that must be signed is read from a file, beside which its signature is");
    if (secret_verify_key(args, &key, &given) || purpose_open(args, 1, &purpose))
        return EXIT_ERROR;
    *out = NULL;
    progress_library_phase("loading");
    int status = uf_load_signed_for(path, args_value(args, &option_signature), given, &purpose.wanted, context, out,
                                    &said, sizeof said, &why);
    progress_hide();
    status = status == UF_OK ? purpose_keep(&purpose, &said) : store_load_error(path, context, &why);
    purpose_close(&purpose);
    if (status)
        uf_free(*out);
    return status;
}

static int load(const struct args *args, const char *path, const uf_context *given, const struct learning *own,
                uf_filter **out)
{
    unsigned how = args_has(args, &option_mmap) ? UF_MAP : 0;
    uf_context context = *given;
    context.learning = &own->learning;
    if (needs_signature(args) ? load_signed(args, path, &context, out) : store_load(path, how, &context, out))
        return EXIT_ERROR;
    int status = args_has(args, &option_early_exit) ? uf_tune(*out, UF_KNOB_EARLY_EXIT, 1) : UF_OK;
    if (status == UF_OK)
        return EXIT_FINE;
    uf_free(*out);
    return print_error("%s: --early-exit: %s", path, uf_status_text(status));
}

/* A filter over scores of the caller's own cannot answer without them. */
static int check_scores(const struct args *args, const struct asked *asked)
{
    uf_learned learned;
    int needs = uf_get_learned(asked->filter, &learned, sizeof learned) == UF_OK && !learned.model_bytes;
    if (needs && !args_has(args, &option_query_scores))
        return print_error("%s: was built from scores, not from a model: give --scores, one number a line for each key",
                           asked->path);
    if (!needs && args_has(args, &option_query_scores))
        return print_error("%s: has no use for --scores: it was not built from any", asked->path);
    return EXIT_FINE;
}

/* Room for scores, which a filter that needs them is loaded with. */
static int open_scores(const struct args *args, struct learning *own)
{
    struct stat about;
    *own = (struct learning){.learning = UF_LEARNING_INIT};
    own->learning.score = scores_of; /* of none so far: check_scores says so before anything is asked */
    if (!args_has(args, &option_query_scores))
        return EXIT_FINE;
    if (args->operands != 2 || stat(args->operand[1], &about) || !S_ISREG(about.st_mode))
        return print_error("--scores needs the keys in one file: it is read twice, and side by side with the scores");
    if (scores_new(&own->scores))
        return EXIT_ERROR;
    own->learning.score_arg = own->scores;
    return EXIT_FINE;
}

static int read_scores(const struct args *args, const struct keys_format *format, struct learning *own)
{
    if (!own->scores)
        return EXIT_FINE;
    return key_list_read(args->operand[1], format, "reading the keys", &own->keys)
               ? EXIT_ERROR
               : scores_add(own->scores, args_value(args, &option_query_scores), &own->keys);
}

/* ---- the filters ---- */

static int open_filter(const struct args *args, const char *path, const uf_context *context, const struct learning *own,
                       struct asked *out)
{
    uf_filter *filter;
    out->path = path;
    if (load(args, path, context, own, &filter))
        return EXIT_ERROR;
    out->filter = filter;
    return check_scores(args, out) ? EXIT_ERROR : keys_format_for(args, out->filter, &out->format);
}

/* F.uf, and those of --also behind it. */
static int open_filters(const struct args *args, const struct learning *own, struct asked *out, size_t count)
{
    uf_context context;
    size_t at = 0;
    if (store_open_any(args, &context))
        return EXIT_ERROR;
    int status = open_filter(args, args->operand[0], &context, own, &out[0]);
    for (size_t i = 1; !status && i < count; i++)
        status = open_filter(args, args_next(args, &option_also, &at), &context, own, &out[i]);
    store_close(&context);
    return status;
}

/* How the files are read for all of them: what one filter notices is looked for, and a byte order mark about which they
 * differ is left out, with a warning. */
static struct keys_format common_format(const struct asked *filters, size_t count)
{
    struct keys_format format = filters[0].format;
    for (size_t i = 1; i < count; i++) {
        format.normal |= filters[i].format.normal;
        if (filters[i].format.crlf == STRIP_AND_WARN)
            format.crlf = STRIP_AND_WARN;
        if (filters[i].format.bom != format.bom)
            format.bom = STRIP_AND_WARN;
    }
    return format;
}

/* With a watch by one thread: what it does after an alarm is then the same in every run. */
static int watch_and_query(const struct args *args, struct asked *filters, size_t count, struct keys_input *input,
                           unsigned threads)
{
    uf_watch *watch = NULL;
    uf_filter *backup = NULL;
    uf_context context;
    int status = EXIT_FINE;
    if (args_has(args, &option_backup)) {
        if (store_open_any(args, &context))
            return EXIT_ERROR;
        status =
            store_load(args_value(args, &option_backup), args_has(args, &option_mmap) ? UF_MAP : 0, &context, &backup);
        store_close(&context);
    }
    if (!status)
        status = query_watch_open(args, filters, backup, &watch);
    if (!status) {
        struct query query = {
            .filters = filters, .count = count, .first_is_enough = args_has(args, &option_silent), .watch = watch};
        keys_worker *work = count > 1 || args_has(args, &option_answers) ? query_each : query_block;
        status = query_run(args, &query, work, input, watch ? 1 : threads);
    }
    uf_watch_free(watch);
    uf_free(backup);
    return status;
}

static int ask(const struct args *args, struct learning *own, struct asked *filters, size_t count)
{
    struct keys_input input;
    const unsigned threads = args_threads(args);
    if (!threads || open_filters(args, own, filters, count))
        return EXIT_ERROR;
    const struct keys_format format = common_format(filters, count);
    if (read_scores(args, &format, own) || keys_open_operands(args, 1, &format, &input))
        return EXIT_ERROR;
    int status = watch_and_query(args, filters, count, &input, threads);
    keys_close(&input);
    return status;
}

static int query_filters(const struct args *args, struct learning *own)
{
    size_t at = 0, count = 1;
    while (args_next(args, &option_also, &at))
        count++;
    struct asked *filters = calloc(count, sizeof *filters);
    if (!filters)
        return print_error("no memory for %zu filters", count);
    int status = ask(args, own, filters, count);
    for (size_t i = 0; i < count; i++)
        uf_free(filters[i].filter);
    free(filters);
    return status;
}

/* What is said about one filter, or about its keys as a whole, does not go with several, or with an answer each. */
static int check_together(const struct args *args)
{
    static const struct option *const one[] = {&option_signature,   &option_signed_name,  &option_least_serial,
                                               &option_last_serial, &option_query_scores, &option_watch};
    static const struct option *const no_answers[] = {&option_silent, &option_count, &option_json, &option_invert};
    for (size_t i = 0; i < sizeof one / sizeof one[0]; i++)
        if (args_exclusive(args, &option_also, one[i]))
            return EXIT_ERROR;
    for (size_t i = 0; i < sizeof no_answers / sizeof no_answers[0]; i++)
        if (args_exclusive(args, &option_answers, no_answers[i]))
            return EXIT_ERROR;
    return args_exclusive(args, &option_key, &option_query_scores);
}

static int run(const struct args *args)
{
    struct learning own;
    if (args_exclusive(args, &option_silent, &option_count) || args_exclusive(args, &option_silent, &option_json) ||
        check_together(args) || check_signed(args) || query_watch_check(args) || open_scores(args, &own))
        return EXIT_ERROR;
    int status = query_filters(args, &own);
    learning_close(&own);
    return status;
}

static const struct option *const options[] = {&option_count,         &option_invert,
                                               &option_silent,        &option_answers,
                                               &option_key,           &option_also,
                                               &option_key_file,      &option_verify_key,
                                               &option_need_mac,      &option_signature,
                                               &option_signed_name,   &option_least_serial,
                                               &option_last_serial,   KEYS_OPTIONS,
                                               &option_threads,       &option_mmap,
                                               &option_early_exit,    &option_query_scores,
                                               &option_watch,         &option_false_alarm,
                                               &option_asked_members, &option_backup,
                                               &option_format_read,   &option_json,
                                               &option_progress,      NULL};

static const struct example examples[] = {
    {"ultrafilter query words.uf candidates.txt", "Prints the lines of candidates.txt that are in the set."},
    {"ultrafilter query -v seen.uf urls.txt > new.txt", "Keeps what was not seen before."},
    {"ultrafilter query -q users.uf -e alice && echo taken", "Asks for one key."},
    {"ultrafilter query --answers users.uf", "Answers each line of standard input at once: a coprocess."},
    {"ultrafilter query mon.uf --also tue.uf --also wed.uf urls.txt", "Tells which day has a URL."},
    {"ultrafilter query --key-file old.key --key-file new.key seen.uf urls.txt", "While a key is rotated."},
    {"ultrafilter query -c --json words.uf candidates.txt", "Counts, for a script."},
    {"ultrafilter query --watch --backup bad-backup.uf --key-file bad.key bad.uf hosts.txt",
     "A learned filter that notices when someone looks for what it errs on, and then asks a second one."},
    {NULL, NULL},
};

const struct command command_query = {
    .name = "query",
    .synopsis = "F.uf [options] [KEYS ...|-]",
    .summary = "print the keys that are in a filter",
    .description =
        "Reads keys, one a line, from the files KEYS or from standard input, and prints those that are in the set, in "
        "the order they came. A key that was added is found; a few others are too, at the filter's "
        "false-positive rate. Private filters miss some members, and so do filters from which others were removed: "
        "'info' says how many. With --field, --column, --hex or --base64 it prints the lines that they are on.\n\n"
        "With --answers it prints every key, a tab, and 1 or 0, and answers what has come in before it waits for more: "
        "a program can write a line and read its answer. With --also several filters are asked, each for the key that "
        "it would make of a line, and it prints the name of each that has it, a tab, and the line; -v prints the lines "
        "that none has, -c a count for each, and --answers a column for each. F.uf is standard input when it is -.\n\n"
        "The filter is checked whole before the first answer, and the input is streamed: memory is the filter's plus "
        "a constant. --json prints the counts, as -c does. With --verify-key the filter must be signed, and be what "
        "was "
        "signed; so must it with --mac, by the owner of --key-file; and --name, --min-serial and --last say which of "
        "the "
        "signer's filters it must be, as with 'verify'.\n\n"
        "With --watch a learned filter watches itself: at the end it prints to standard error, for each range of "
        "scores, "
        "the share of all queries that came there and that was accepted, beside what it was planned for and the most "
        "that chance explains; --json has the same. The alarm, and what it rests on, is in docs/learned.md#the-watch.",
    .options = options,
    .examples = examples,
    .exit_status = "0 when a key was selected, 1 when none was, 2 on an error.",
    .least = 1,
    .most = (size_t)-1,
    .run = run,
};
