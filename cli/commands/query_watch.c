/* SPDX-License-Identifier: MIT */
/*
 * query --watch: a learned filter watches itself (uf_watch). What it saw goes to stderr at the end, since stdout is for
 * the keys, or into the JSON; an alarm is said at once.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "human.h"
#include "message.h"
#include "query.h"
#include "report.h"

const struct option option_watch = {
    0, "watch", VALUE_NONE, NULL,
    "Hold what a learned filter is asked and accepts in each range of scores against what it was planned for, and warn "
    "when the difference is not chance."};
const struct option option_false_alarm = {
    0, "false-alarm", VALUE_NUMBER, "P",
    "--watch: the chance that honest queries ever raise an alarm, however many there are. Default: 0.001."};
const struct option option_asked_members = {
    0, "members-asked", VALUE_NUMBER, "S",
    "--watch: the share of the queries that are for keys of the set, at most. Default: 0."};
const struct option option_backup = {0, "backup", VALUE_FILE, "B.uf",
                                     "--watch: a filter of the same keys, made with 'build --backup-of F.uf'. From an "
                                     "alarm on, a key is found only when "
                                     "both have it."};

static int read_share(const struct args *args, const struct option *option, double *out)
{
    if (!args_has(args, option))
        return EXIT_FINE;
    *out = strtod(args_value(args, option), NULL);
    return *out <= 1 && (*out > 0 || option == &option_asked_members)
               ? EXIT_FINE
               : print_error("--%s %s: not a share from 0 to 1", option->name, args_value(args, option));
}

int query_watch_check(const struct args *args)
{
    static const struct option *const its[] = {&option_false_alarm, &option_asked_members, &option_backup};
    for (size_t i = 0; i < sizeof its / sizeof its[0]; i++)
        if (args_has(args, its[i]) && !args_has(args, &option_watch))
            return print_error("--%s is for --watch", its[i]->name);
    return EXIT_FINE;
}

int query_watch_open(const struct args *args, const struct asked *asked, const uf_filter *backup, uf_watch **out)
{
    uf_watching how = UF_WATCHING_INIT;
    uf_error why;
    *out = NULL;
    if (!args_has(args, &option_watch))
        return EXIT_FINE;
    if (read_share(args, &option_false_alarm, &how.false_alarm) ||
        read_share(args, &option_asked_members, &how.members))
        return EXIT_ERROR;
    how.backup = backup;
    if (uf_watch_new(asked->filter, &how, NULL, out, &why) == UF_OK)
        return EXIT_FINE;
    return why.status == UF_EMISMATCH
               ? print_error("%s: is not the backup of %s: make it with 'ultrafilter build --backup-of %s', from the "
                             "same keys",
                             args_value(args, &option_backup), asked->path, asked->path)
               : print_error("%s: %s", asked->path, why.text);
}

static uf_watched seen_by(const uf_watch *watch)
{
    uf_watched seen;
    (void)uf_get_watch(watch, &seen, sizeof seen);
    return seen;
}

void query_watch_warn(struct query *query)
{
    const uf_watched seen = seen_by(query->watch);
    if (seen.alarm_at && !query->alarmed)
        print_warning(
            "%s: more is accepted than planned, and not by chance, since query %s: someone looks for keys that "
            "it errs on, or what is asked for has changed%s",
            query->filters->path, human_count((double)seen.alarm_at).text,
            seen.switched ? "; its backup is asked as well" : "");
    if (seen.drift_at && !query->drifted)
        print_warning(
            "%s: other keys are asked for than planned, since query %s: if they are honest, build it anew with "
            "negatives like them",
            query->filters->path, human_count((double)seen.drift_at).text);
    query->alarmed = seen.alarm_at != 0;
    query->drifted = seen.drift_at != 0;
}

/* ---- what it saw ---- */

static void print_row(const char *from, const uf_watched_region *region)
{
    (void)fprintf(stderr, "  %14s %10s %10s %10s   %10s %10s %10s\n", from, human_percent(region->asked).text,
                  human_percent(region->asked_planned).text, human_percent(region->asked_most).text,
                  human_percent(region->passed).text, human_percent(region->passed_planned).text,
                  human_percent(region->passed_most).text);
}

void query_watch_print(const struct query *query)
{
    const uf_watched seen = seen_by(query->watch);
    uf_watched_region region[UF_MOST_REGIONS];
    uf_region planned[UF_MOST_REGIONS];
    (void)uf_get_watch_regions(query->watch, region, sizeof region[0], UF_MOST_REGIONS);
    (void)uf_get_regions(query->filters->filter, planned, sizeof planned[0], UF_MOST_REGIONS);
    (void)fprintf(stderr, "%s: %s queries, %s accepted; evidence %.2g, of drift %.2g, alarm at %s\n",
                  query->filters->path, human_count((double)seen.queries).text, human_count((double)seen.accepted).text,
                  seen.evidence, seen.drift, human_count(seen.limit).text);
    if (!seen.queries)
        return;
    (void)fprintf(stderr, "  %14s %10s %10s %10s   %10s %10s %10s\n", "scores from", "asked", "planned", "at most",
                  "accepted", "planned", "at most");
    for (unsigned i = 0; i < seen.regions; i++) {
        char from[32] = "the lowest";
        if (i)
            (void)snprintf(from, sizeof from, "%.6g", planned[i].from);
        print_row(from, &region[i]);
    }
}

static json_t *region_object(const uf_watched_region *region)
{
    return json_pack("{s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o}", "queries", (json_int_t)region->queries, "accepted",
                     (json_int_t)region->accepted, "asked", report_number(region->asked), "asked_planned",
                     report_number(region->asked_planned), "asked_most", report_number(region->asked_most), "passed",
                     report_number(region->passed), "passed_planned", report_number(region->passed_planned),
                     "passed_most", report_number(region->passed_most));
}

static json_t *or_null(uint64_t queries)
{
    return queries ? json_integer((json_int_t)queries) : json_null();
}

json_t *query_watch_object(const uf_watch *watch)
{
    const uf_watched seen = seen_by(watch);
    uf_watched_region region[UF_MOST_REGIONS];
    json_t *array = json_array();
    (void)uf_get_watch_regions(watch, region, sizeof region[0], UF_MOST_REGIONS);
    for (unsigned i = 0; array && i < seen.regions; i++)
        (void)json_array_append_new(array, region_object(&region[i]));
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "evidence", report_number(seen.evidence), "drift",
                     report_number(seen.drift), "limit", report_number(seen.limit), "alarm_at", or_null(seen.alarm_at),
                     "drift_at", or_null(seen.drift_at), "switched", seen.switched, "regions", array);
}
