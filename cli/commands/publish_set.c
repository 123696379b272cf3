/* SPDX-License-Identifier: MIT */
/* publish --mechanism dime|nickel: keys into a set of their universe, the set released, a filter of what comes out. */
#include "publish.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "key_list.h"
#include "keys.h"
#include "learning.h"
#include "message.h"
#include "nickel_odds.h"
#include "progress.h"
#include "request.h"
#include "secret.h"
#include "shared.h"
#include "spec.h"

const struct option option_odds = {
    0, "odds", VALUE_NONE, NULL,
    "With nickel: say on standard error how sure of a listed key everybody is who knows how many members there are. "
    "For "
    "you only: the number of members follows from it. On a terminal it is said without asking."};

/* ---- the universe ---- */

static int universe_from_file(const struct publish *job, const char *path, uf_universe **out)
{
    struct key_list list;
    uf_error why;
    int status = EXIT_FINE;
    if (key_list_read(path, &job->format, "reading the universe", &list))
        return EXIT_ERROR;
    if (uf_universe_list(list.keys, list.count, &job->context, out, &why) != UF_OK)
        status = print_error("%s: %s", path, why.text);
    key_list_free(&list);
    return status;
}

static int open_universe(const struct publish *job, uf_universe **out)
{
    const char *text = job->universe;
    uf_error why;
    if (!strncmp(text, "file:", 5))
        return universe_from_file(job, text + 5, out);
    return uf_universe_parse(text, &job->context, out, &why) == UF_OK
               ? EXIT_FINE
               : print_error("--universe %s: %s", text, why.text);
}

/* ---- the set ---- */

static enum keys_verdict add_to_set(void *arg, struct keys_block *block)
{
    uf_key keys[KEYS_BATCH];
    const char *cursor = NULL;
    uf_error why;
    for (size_t count; (count = keys_next(block, &cursor, keys));)
        if (uf_set_add(arg, keys, count, &why) != UF_OK) {
            print_error("%s", why.text);
            return KEYS_FAILED;
        }
    return KEYS_GO_ON;
}

static int read_set(const struct publish *job, uf_set *set)
{
    const struct keys_job reading = {.work = add_to_set, .arg = set, .threads = 1};
    struct keys_totals totals;
    struct keys_input input;
    if (keys_open_source(job->source, job->args, 0, &job->format, &input))
        return EXIT_ERROR;
    progress_phase("reading", input.bytes);
    int status = keys_run(&input, &reading, &totals);
    keys_close(&input);
    return status;
}

/* ---- learned kinds ---- */

static int keep_key(void *arg, const uf_key *keys, size_t count)
{
    return !key_list_add(arg, keys, count);
}

static int list_of(const uf_set *set, struct key_list *out)
{
    uf_error why;
    *out = (struct key_list){.keys = NULL};
    if (uf_set_each(set, keep_key, out, &why) == UF_OK && key_list_finish(out))
        return EXIT_FINE;
    key_list_free(out);
    return print_error("no memory for the released keys");
}

/* The model sees what everyone will see, the released set, and negatives that are public: its claim is the release's.
 */
static int build_learned(const struct publish *job, const uf_spec *spec, const uf_set *released, uf_filter **out)
{
    uf_context context = job->context;
    struct learning learning;
    struct key_list list;
    uf_error why;
    if (list_of(released, &list))
        return EXIT_ERROR;
    int status = learning_train(job->args, spec, &job->format, &list, context.threads, &learning);
    key_list_free(&list);
    if (status)
        return status;
    context.learning = &learning.learning;
    progress_library_phase("building");
    if (uf_build_set(spec, released, &context, out, &why) != UF_OK)
        status = print_error("%s", why.text);
    progress_hide();
    if (!status)
        learning_warn(&learning, *out);
    learning_close(&learning);
    return status;
}

static int check_learned(const struct publish *job, const uf_spec *spec)
{
    if (learning_wanted(spec) && uf_spec_is_keyed(spec))
        return print_error("--kind %s needs a key, and what is published should not: take partition",
                           args_value(job->args, &option_kind));
    if (learning_wanted(spec) && !args_has(job->args, &option_negatives))
        return print_error(
            "--kind %s is a learned kind: give --negatives and --valid, which must be public; its model is "
            "trained on the released set only",
            args_value(job->args, &option_kind));
    return learning_check(job->args, spec);
}

/* ---- the release ---- */

static int build(const struct publish *job, const uf_spec *spec, const uf_set *released, uf_filter **out)
{
    uf_error why;
    if (learning_wanted(spec))
        return build_learned(job, spec, released, out);
    progress_library_phase("building");
    int status = uf_build_set(spec, released, &job->context, out, &why);
    progress_hide();
    return status == UF_OK ? EXIT_FINE : print_error("%s", why.text);
}

static int release(const struct publish *job, const char *mechanism, const uf_spec *spec, const uf_set *set,
                   uf_filter **out)
{
    char how[128];
    uf_set *released = NULL;
    uf_error why;
    (void)snprintf(how, sizeof how, "%s:epsilon=%s", mechanism, args_value(job->args, &option_epsilon));
    progress_library_phase("releasing");
    int status = uf_set_release(set, how, &job->context, &released, &why);
    progress_hide();
    if (status != UF_OK)
        return print_error("%s", why.text);
    status = build(job, spec, released, out);
    uf_set_free(released);
    return status;
}

static int read_request(const struct publish *job, uf_spec *out)
{
    const char *kind = args_has(job->args, &option_kind) ? args_value(job->args, &option_kind) : "ribbon";
    uf_error why;
    if (request_spec(job->args, kind, out, &why) != UF_OK)
        return print_error("%s", why.text);
    return !uf_spec_is_keyed(out) && secret_check_use(job->args) ? EXIT_ERROR : check_learned(job, out);
}

/* How many members there are follows from this, and no release says that. So it goes to the terminal of whoever has the
 * set, or where they ask for it, and never into the file, the report or its JSON, which are handed on. */
static void tell_owner(const struct publish *job, const uf_set *set, const uf_universe *universe)
{
    char text[NICKEL_SENTENCE], remark[NICKEL_SENTENCE];
    if (strcmp(job->mechanism, "nickel") != 0 || args_has(job->args, &option_quiet) ||
        !(args_has(job->args, &option_odds) || isatty(STDERR_FILENO)))
        return;
    nickel_sentence(uf_set_count(set), uf_universe_size(universe), job->epsilon, text);
    nickel_remark(job->epsilon, remark);
    print_note("for you only, and in no file: %s %s", text, remark);
}

int publish_set(const struct publish *job, uf_filter **out)
{
    const char *mechanism = job->mechanism;
    uf_universe *universe = NULL;
    uf_set *set = NULL;
    uf_spec spec;
    uf_error why;
    if (!job->universe)
        return print_error(
            "%s needs --universe: decoys come from all keys there could be; without such a list take dpset", mechanism);
    if (args_has(job->args, &option_capacity))
        return print_error("%s %s: the size of a %s file follows from the released set; leave it out",
                           args_label(job->args, &option_capacity).text, args_value(job->args, &option_capacity),
                           mechanism);
    int status = read_request(job, &spec);
    if (!status)
        status = open_universe(job, &universe);
    if (!status && uf_set_new(universe, &job->context, &set, &why) != UF_OK)
        status = print_error("%s", why.text);
    if (!status)
        status = read_set(job, set);
    if (!status)
        status = release(job, mechanism, &spec, set, out);
    if (!status)
        tell_owner(job, set, universe);
    uf_set_free(set);
    uf_universe_free(universe);
    return status;
}
