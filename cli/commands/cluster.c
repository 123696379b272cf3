/* SPDX-License-Identifier: MIT */
/* cluster: one filter over many servers of Redis. Each action is in a file of its own. */
#include "cluster.h"

#include <string.h>

#include "cluster_options.h"
#include "commands.h"
#include "message.h"
#include "query.h"
#include "shared.h"

const struct option option_cluster_quiet = {
    'q', "quiet", VALUE_NONE, NULL,
    "Do not print the line about the result; query: print nothing and stop at the first key selected."};

#ifndef UF_CLUSTER
#define ACTION(action) NULL
#else
#define ACTION(action) action
#endif

static const struct option *const create_options[] = {
    &option_capacity,  &option_fpr,       &option_full, &option_spec,  &option_key_file,
    &option_prf,       &option_lowercase, &option_trim, &option_parts, &option_part_bytes,
    &option_overwrite, &option_replicas,  NULL};
static const struct option *const load_options[] = {&option_parts, &option_part_bytes, &option_overwrite,
                                                    &option_replicas, NULL};
static const struct option *const add_options[] = {
    &option_key, &option_new, &option_key_file, KEYS_OPTIONS, &option_threads, &option_replicas, NULL};
static const struct option *const query_options[] = {&option_key,      &option_count, &option_invert,  &option_answers,
                                                     &option_key_file, KEYS_OPTIONS,  &option_threads, NULL};
static const struct option *const info_options[] = {NULL};
static const struct option *const save_options[] = {&option_output, &option_overwrite, NULL};
static const struct option *const all_options[] = {ENDPOINT_OPTIONS, &option_cluster_quiet, &option_json,
                                                   &option_progress, NULL};

static const struct action {
    const char *name, *about;
    const struct option *const *options;
    int (*run)(const struct args *args);
    size_t most; /* operands behind its name */
} actions[] = {
    {"create", "make an empty filter, in parts", create_options, ACTION(cluster_create), 1},
    {"load", "make one of a file F.uf, or of files of its parts", load_options, ACTION(cluster_load), (size_t)-1},
    {"add", "add keys, as 'insert' does", add_options, ACTION(cluster_add), (size_t)-1},
    {"query", "print the keys that are in it, as 'query' does", query_options, ACTION(cluster_query), (size_t)-1},
    {"info", "show its parts, and where they are", info_options, ACTION(cluster_info), 1},
    {"save", "write all of it as one file", save_options, ACTION(cluster_save), 1},
};

enum { ACTIONS = sizeof actions / sizeof actions[0] };

static const char *word(size_t index, const char **about)
{
    if (index >= ACTIONS)
        return NULL;
    *about = actions[index].about;
    return actions[index].name;
}

static bool is_in(const struct option *option, const struct option *const *list)
{
    while (*list && *list != option)
        list++;
    return *list != NULL;
}

/* An option of another action does nothing, and whoever gave it thinks otherwise. */
static int check_options(const struct args *args, const struct action *action)
{
    for (size_t i = 0; args->command->options[i]; i++) {
        const struct option *option = args->command->options[i];
        if (args->value[i] && !is_in(option, all_options) && !is_in(option, action->options))
            return print_error("%s is not for 'cluster %s'", args_label(args, option).text, action->name);
    }
    return EXIT_FINE;
}

static const struct action *find(const char *name)
{
    for (size_t i = 0; i < ACTIONS; i++)
        if (!strcmp(actions[i].name, name))
            return &actions[i];
    return NULL;
}

static int run(const struct args *args)
{
    const struct action *action = find(args->operand[0]);
    if (!action)
        return print_error("cluster %s: is none of create, load, add, query, info and save", args->operand[0]);
    if (args->operands < 2)
        return print_error("cluster %s: the name of the filter is missing", action->name);
    if (args->operands - 1 > action->most)
        return print_error("cluster %s: one word too many: %s", action->name, args->operand[2]);
    if (check_options(args, action))
        return EXIT_ERROR;
    if (!action->run)
        return print_error("this program was built without hiredis, by which 'cluster' speaks to Redis: install "
                           "libhiredis-dev, and build it again");
    return action->run(args);
}

static const struct option *const options[] = {
    ENDPOINT_OPTIONS,  &option_replicas,      &option_capacity,   &option_fpr,       &option_full,
    &option_spec,      &option_parts,         &option_part_bytes, &option_key_file,  &option_prf,
    &option_lowercase, &option_trim,          &option_output,     &option_overwrite, &option_count,
    &option_invert,    &option_answers,       &option_new,        &option_key,       KEYS_OPTIONS,
    &option_threads,   &option_cluster_quiet, &option_json,       &option_progress,  NULL};

static const struct example examples[] = {
    {"ultrafilter cluster create seen --redis 10.0.0.1:6379 -n 1e9 -p 0.01 --key-file seen.key",
     "An empty filter over all masters of a cluster, of which one server is named."},
    {"ultrafilter cluster add seen --redis 10.0.0.1:6379 --key-file seen.key today.txt", "Adds the lines of a file."},
    {"ultrafilter cluster query seen --redis 10.0.0.1:6379 --key-file seen.key urls.txt",
     "Prints those that are in it."},
    {"ultrafilter cluster info seen --redis 10.0.0.1:6379", "Which parts are where."},
    {"ultrafilter cluster save seen --redis 10.0.0.1:6379 -o seen.uf", "One file of it."},
    {"ultrafilter cluster load seen --redis 10.0.0.1:6379 part-*.uf", "From parts that were built on many machines."},
    {NULL, NULL},
};

const struct command command_cluster = {
    .name = "cluster",
    .synopsis = "ACTION NAME --redis HOST:PORT,... [options] [FILE ...|-]",
    .summary = "keep one filter on many servers of Redis",
    .description =
        "A filter that is larger than a server, or busier: it is cut into parts (docs/partitions.md), which lie on the "
        "masters of a Redis Cluster that have the module ultrafilter (docs/redis.md). Under NAME the servers keep how "
        "it was planned. A server that stands alone does, too.\n\n"
        "Keys are hashed here, with --key-file where the filter is keyed, and only their digests reach the servers, "
        "which need no key. 'add' and 'query' read keys as 'insert' and 'query' do, ask all masters at once, and go on "
        "through failovers and while parts move to other servers: up to --wait seconds of trouble are no error. What "
        "'add' has reported is on a replica of each master that has any, and survives the loss of the master.\n\n"
        "'load' takes a whole filter of kind blocked, or parts made by 'build --partition'; 'save' writes the file "
        "that one build of all keys makes.\n\n"
        "Passwords and keys are never on the command line.",
    .options = options,
    .examples = examples,
    .exit_status = "0 on success, 2 on an error. query: 0 when a key was selected, 1 when none was. info: 1 when parts "
                   "are missing or wrong.",
    .least = 1,
    .most = (size_t)-1,
    .operand = "action",
    .word = word,
    .run = run,
};
