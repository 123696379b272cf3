/* SPDX-License-Identifier: MIT */
/* What the files of `query` share, and `cluster query` with them. */
#ifndef CLI_QUERY_H
#define CLI_QUERY_H

#include <jansson.h>

#include "args.h"
#include "keys.h"
#include "ultrafilter.h"

/* One of the filters that are asked. */
struct asked {
    const char *path; /* as it was given: its name in what is printed */
    uf_filter *filter;
    struct keys_format format; /* how its keys are normalised */
    uint64_t found;            /* keys, by all threads; of several filters */
};

struct query {
    struct asked *filters;
    size_t count;
    uint8_t selected; /* the answer that is wanted */
    bool print, first_is_enough;
    bool answers;          /* print all keys, each with its answers */
    uf_watch *watch;       /* over the one filter; or NULL */
    bool alarmed, drifted; /* it was said */
};

/* Asks one of the filters. */
static inline void query_ask(const struct query *query, size_t filter, const uf_key *keys, size_t count,
                             uint8_t *answers)
{
    if (query->watch)
        uf_watch_query(query->watch, keys, count, answers);
    else
        uf_query_many(query->filters[filter].filter, keys, count, answers);
}

extern const struct option option_count, option_invert, option_answers;

/* Moves the records whose answer is `selected` to `to`, run by run. Returns where they end. */
char *query_keep(const uf_key *records, const uint8_t *answers, size_t count, uint8_t selected, char *to);

/* How many answers are 1. */
uint64_t query_sum(const uint8_t *answers, size_t count);

/* Adds "alice<TAB>1<TAB>0" to what is printed behind the block: `count` answers, `stride` apart. 0: no memory. */
int query_add_answers(struct keys_block *block, const struct keys_format *format, uf_key record, const uint8_t *answers,
                      size_t count, size_t stride);

/* Reads all keys, lets `work` answer them, with `query` as its argument, and prints what the options ask for. The exit
 * status. */
int query_run(const struct args *args, struct query *query, keys_worker *work, struct keys_input *input,
              unsigned threads);

/* Works on a block for several filters, or for answers. */
enum keys_verdict query_each(void *query, struct keys_block *block);

/* --watch (query_watch.c): EXIT_FINE and NULL when it was not asked for. */
extern const struct option option_watch, option_false_alarm, option_asked_members, option_backup;
int query_watch_check(const struct args *args);
int query_watch_open(const struct args *args, const struct asked *asked, const uf_filter *backup, uf_watch **out);

/* Says that there is an alarm, or drift, once. By one thread. */
void query_watch_warn(struct query *query);
void query_watch_print(const struct query *query);
json_t *query_watch_object(const uf_watch *watch);

#endif
