/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "output.h"
#include "report_json.h"
#include "message.h"

struct human {
    char text[32];
};

static struct human count(uint64_t value)
{
    char plain[24];
    struct human out = {""};
    int digits = snprintf(plain, sizeof plain, "%" PRIu64, value);
    size_t to = 0;
    for (int i = 0; i < digits; i++) {
        if (i && (digits - i) % 3 == 0)
            out.text[to++] = ',';
        out.text[to++] = plain[i];
    }
    return out;
}

static struct human size(double bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    struct human out;
    size_t unit = 0;
    for (; bytes >= 1023.5 && unit < 4; unit++)
        bytes /= 1024;
    (void)snprintf(out.text, sizeof out.text, "%.*f %s", unit && bytes < 100 ? 1 : 0, bytes, units[unit]);
    return out;
}

static void print_packets(FILE *to, const struct outcome *outcome)
{
    const struct packets_counts *packets = &outcome->packets;
    (void)fprintf(to, "Packets   %s in %.3f s", count(packets->read).text, outcome->seconds);
    if (outcome->seconds > 0)
        (void)fprintf(to, ", %s a second", count((uint64_t)((double)packets->read / outcome->seconds)).text);
    (void)fprintf(to, "\n          %s served, %s refused", count(outcome->gate->counts.served).text,
                  count(outcome->gate->counts.refused).text);
    if (packets->other)
        (void)fprintf(to, ", %s not IP", count(packets->other).text);
    if (packets->malformed)
        (void)fprintf(to, ", %s malformed", count(packets->malformed).text);
    if (packets->fragments)
        (void)fprintf(to, ", %s fragments", count(packets->fragments).text);
    if (packets->cut)
        (void)fprintf(to, ", %s cut", count(packets->cut).text);
    if (packets->lost)
        (void)fprintf(to, "; %s more were lost by the system", count(packets->lost).text);
    (void)fprintf(to, "\n");
}

static void print_moves(FILE *to, const struct gate *gate)
{
    (void)fprintf(to, "Strikes   bad sequences: %s; sources moved from good to bad: %s",
                  count(gate->counts.strikes).text, count(gate->counts.moved).text);
    if (gate->counts.left)
        (void)fprintf(to, ", of these still in the good filter: %s", count(gate->counts.left).text);
    (void)fprintf(to, "\n");
}

static void print_table(FILE *to, const struct gate *gate)
{
    const struct sources_counts table = sources_counted(gate->sources);
    (void)fprintf(to, "Memory    %s, whatever comes; of these %s for the table of sources\n",
                  size((double)gate_bytes(gate)).text, size((double)sources_bytes(gate->sources)).text);
    if (gate->patterns)
        (void)fprintf(to, "Patterns  %s, in %s; of these %s for the filter of bad data\n",
                      count(patterns_count(gate->patterns)).text, size((double)patterns_bytes(gate->patterns)).text,
                      size((double)patterns_filter_bytes(gate->patterns)).text);
    (void)fprintf(to, "Table     %s of %s places taken", count(table.kept).text,
                  count(sources_places(gate->sources)).text);
    if (table.evicted)
        (void)fprintf(to, "; %s evicted, %s of them inside a sequence and %s with strikes", count(table.evicted).text,
                      count(table.partial).text, count(table.strikes).text);
    (void)fprintf(to, "\n");
}

static void print_filter(FILE *to, const char *title, const struct member_filter *member)
{
    uf_info info;
    uf_claim claim;
    uf_get_info(member->filter, &info, sizeof info);
    uf_get_claim(member->filter, &claim, sizeof claim);
    (void)fprintf(to, "%-9s %s, %s, for %s sources: %s added", title, info.kind, size((double)info.bytes).text,
                  count(info.capacity).text, count(member->added).text);
    if (member->removed)
        (void)fprintf(to, ", %s removed", count(member->removed).text);
    if (member->turned_away)
        (void)fprintf(to, ", %s times full", count(member->turned_away).text);
    (void)fprintf(to, "; false-positive rate %.2g now, %.2g when full\n", info.fpr_now, claim.fpr);
}

static void print_differences(FILE *to, const struct comparison *comparison)
{
    for (size_t i = 0; i < comparison->count; i++) {
        const struct difference *difference = &comparison->differences[i];
        (void)fprintf(to, "          %s: said %s, is %s\n", address_print(&difference->address).text,
                      verdict_name((enum verdict)difference->said), verdict_name((enum verdict)difference->truly));
    }
}

static void print_comparison(FILE *to, const char *title, const struct comparison *comparison, const struct gate *gate)
{
    const struct comparison_rates rates = compare_rates(comparison, gate);
    (void)fprintf(to, "%-9s verdicts compared: %s, wrong: %s; the filters' rates give %.1f now, %.1f when full\n",
                  title, count(rates.compared).text, count(rates.wrong).text, rates.expected, rates.planned);
    if (rates.missed)
        (void)fprintf(to, "          bad sources missed: %s of %s; times that history was lost for lack of room: %s\n",
                      count(rates.missed).text, count(rates.bad).text, count(rates.lost).text);
    if (rates.worse)
        (void)fprintf(to, "          This is more than the filters' rates allow.\n");
}

static void print_membership(FILE *to, const char *name, const struct membership *membership)
{
    (void)fprintf(to, "          %s filter: false positives %s of %s, false negatives %s of %s\n", name,
                  count(membership->accepted).text, count(membership->others).text, count(membership->missing).text,
                  count(membership->members).text);
}

static void print_answers(FILE *to, const struct outcome *outcome)
{
    const uint64_t *answers = outcome->answers;
    if (!outcome->options->ask)
        return;
    (void)fprintf(to, "Asked     %s good, %s bad, %s unknown\n", count(answers[VERDICT_GOOD]).text,
                  count(answers[VERDICT_BAD]).text, count(answers[VERDICT_UNKNOWN]).text);
    if (!compare_rates(&outcome->words, outcome->gate).compared)
        return;
    print_comparison(to, "Expected", &outcome->words, outcome->gate);
    if (outcome->options->exact)
        (void)fprintf(to, "          exact verdicts that are wrong: %s\n", count(outcome->exact_against_words).text);
    else
        print_differences(to, &outcome->words);
}

static void print_exact(FILE *to, const struct outcome *outcome)
{
    if (!outcome->options->exact)
        return;
    print_comparison(to, "Exact", &outcome->exact, outcome->gate);
    print_membership(to, "good", &outcome->good);
    print_membership(to, "bad", &outcome->bad);
    (void)fprintf(to, "          packets refused wrongly: %s, served wrongly: %s\n",
                  count(outcome->refused_wrongly).text, count(outcome->served_wrongly).text);
    print_differences(to, &outcome->exact);
}

int report(const struct outcome *outcome)
{
    if (outcome->options->report == REPORT_JSON)
        return report_json(outcome);
    FILE *to = outcome->options->report_to;
    print_packets(to, outcome);
    print_moves(to, outcome->gate);
    print_table(to, outcome->gate);
    print_filter(to, "Good", &outcome->gate->good);
    print_filter(to, "Bad", &outcome->gate->bad);
    print_answers(to, outcome);
    print_exact(to, outcome);
    return output_close(to, "-");
}
