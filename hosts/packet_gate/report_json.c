/* SPDX-License-Identifier: MIT */
/* jansson takes over every value it is given; a NULL among them makes the object NULL, which is seen at the end. */
#include "report_json.h"

#include <math.h>
#include <stdio.h>

#include "output.h"
#include "message.h"

static json_t *whole(uint64_t value)
{
    return json_integer((json_int_t)value);
}

static json_t *real(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *packets(const struct outcome *outcome)
{
    const struct packets_counts *counts = &outcome->packets;
    const struct gate_counts *gate = &outcome->gate->counts;
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "read", whole(counts->read), "bytes",
                     whole(counts->bytes), "served", whole(gate->served), "refused", whole(gate->refused), "other",
                     whole(counts->other), "malformed", whole(counts->malformed), "fragments", whole(counts->fragments),
                     "cut", whole(counts->cut), "lost", whole(counts->lost));
}

static json_t *table(const struct gate *gate)
{
    const struct sources_counts counts = sources_counted(gate->sources);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "places", whole(sources_places(gate->sources)), "bytes",
                     whole(sources_bytes(gate->sources)), "taken", whole(counts.kept), "evicted", whole(counts.evicted),
                     "evicted_in_sequence", whole(counts.partial), "evicted_with_strikes", whole(counts.strikes));
}

static json_t *patterns(const struct gate *gate)
{
    const struct patterns *all = gate->patterns;
    return json_pack("{s:o, s:o, s:o}", "count", whole(all ? patterns_count(all) : 0), "bytes",
                     whole(all ? patterns_bytes(all) : 0), "filter_bytes", whole(all ? patterns_filter_bytes(all) : 0));
}

static json_t *filter(const struct member_filter *member)
{
    uf_info info;
    uf_claim claim;
    uf_spec spec;
    uf_get_info(member->filter, &info, sizeof info);
    uf_get_claim(member->filter, &claim, sizeof claim);
    uf_get_plan(member->filter, &spec);
    return json_pack("{s:s, s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", info.kind, "spec", spec.text,
                     "bytes", whole(info.bytes), "capacity", whole(info.capacity), "added", whole(member->added),
                     "removed", whole(member->removed), "turned_away", whole(member->turned_away), "fpr_now",
                     real(info.fpr_now), "fpr", real(claim.fpr), "fnr", real(claim.fnr));
}

static json_t *differences(const struct comparison *comparison)
{
    json_t *list = json_array();
    for (size_t i = 0; list && i < comparison->count; i++) {
        const struct difference *one = &comparison->differences[i];
        json_t *object =
            json_pack("{s:s, s:s, s:s}", "address", address_print(&one->address).text, "said",
                      verdict_name((enum verdict)one->said), "truly", verdict_name((enum verdict)one->truly));
        if (json_array_append_new(list, object)) {
            json_decref(list);
            list = NULL;
        }
    }
    return list;
}

static json_t *compared(const struct comparison *comparison, const struct gate *gate)
{
    const struct comparison_rates rates = compare_rates(comparison, gate);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:o}", "compared", whole(rates.compared), "wrong",
                     whole(rates.wrong), "expected_now", real(rates.expected), "expected_when_full",
                     real(rates.planned), "truly_bad", whole(rates.bad), "missed", whole(rates.missed), "lost_history",
                     whole(rates.lost), "worse", rates.worse, "differences", differences(comparison));
}

static json_t *member(const struct membership *membership)
{
    return json_pack("{s:o, s:o, s:o, s:o}", "members", whole(membership->members), "false_negatives",
                     whole(membership->missing), "others", whole(membership->others), "false_positives",
                     whole(membership->accepted));
}

static json_t *exact(const struct outcome *outcome)
{
    json_t *object = compared(&outcome->exact, outcome->gate);
    int failed = json_object_set_new(object, "good", member(&outcome->good)) |
                 json_object_set_new(object, "bad", member(&outcome->bad)) |
                 json_object_set_new(object, "packets_refused_wrongly", whole(outcome->refused_wrongly)) |
                 json_object_set_new(object, "packets_served_wrongly", whole(outcome->served_wrongly));
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

static json_t *asked(const struct outcome *outcome)
{
    json_t *object =
        json_pack("{s:o, s:o, s:o}", "good", whole(outcome->answers[VERDICT_GOOD]), "bad",
                  whole(outcome->answers[VERDICT_BAD]), "unknown", whole(outcome->answers[VERDICT_UNKNOWN]));
    int failed = !object;
    if (compare_rates(&outcome->words, outcome->gate).compared) {
        failed |= json_object_set_new(object, "expected", compared(&outcome->words, outcome->gate));
        if (outcome->options->exact)
            failed |= json_object_set_new(object, "exact_wrong", whole(outcome->exact_against_words));
    }
    if (outcome->answer_list)
        failed |= json_object_set(object, "answers", outcome->answer_list);
    if (!failed)
        return object;
    json_decref(object);
    return NULL;
}

int report_json(const struct outcome *outcome)
{
    const struct gate *gate = outcome->gate;
    const double rate = outcome->seconds > 0 ? (double)outcome->packets.read / outcome->seconds : NAN;
    json_t *object = json_pack(
        "{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "packets", packets(outcome), "seconds",
        real(outcome->seconds), "packets_per_second", real(rate), "strikes", whole(gate->counts.strikes), "moved",
        whole(gate->counts.moved), "moved_not_removed", whole(gate->counts.left), "lost_history",
        whole(gate_lost_history(gate)), "patterns", patterns(gate), "memory_bytes", whole(gate_bytes(gate)), "table",
        table(gate), "good", filter(&gate->good), "bad", filter(&gate->bad));
    int failed = !object;
    if (outcome->options->ask)
        failed |= json_object_set_new(object, "asked", asked(outcome));
    if (outcome->options->exact)
        failed |= json_object_set_new(object, "exact", exact(outcome));
    if (failed) {
        json_decref(object);
        return print_error("out of memory");
    }
    FILE *to = outcome->options->report_to;
    (void)json_dumpf(object, to, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    (void)putc('\n', to);
    json_decref(object);
    return output_close(to, "-");
}
