/* SPDX-License-Identifier: MIT */
/* cluster info: the parts of a filter, the servers that they are on, and what is missing. */
#include <stdio.h>
#include <stdlib.h>

#include "cluster.h"
#include "cluster_session.h"
#include "human.h"
#include "message.h"
#include "part_store.h"
#include "report.h"
#include "shared.h"

/* What all parts, or those of one server, come to. */
struct sums {
    unsigned parts;
    uint64_t items, capacity, memory;
};

static struct sums sum_of(const struct layout *layout, const struct part_info *info, int node)
{
    struct sums sums = {0};
    for (unsigned i = 0; i < layout->parts; i++)
        if (info[i].state == PART_THERE && (node < 0 || info[i].node == node)) {
            sums.parts++;
            sums.items += info[i].items;
            sums.memory += info[i].memory;
        }
    return sums;
}

static double planned(const struct layout *layout)
{
    double n = 0;
    (void)uf_spec_get(&layout->spec, "n", &n);
    return n;
}

/* ---- for people ---- */

static void print_masters(const struct router *router, const struct layout *layout, const struct part_info *info)
{
    struct master master;
    (void)printf("\n  %-28s %7s %7s %10s %14s %9s\n", "master", "slots", "parts", "memory", "keys", "replicas");
    for (size_t i = 0; router_master(router, i, &master); i++) {
        const struct sums own = sum_of(layout, info, master.number);
        (void)printf("  %-28s %7u %7u %10s %14s %9u\n", address_show(&master.address).text, master.slots, own.parts,
                     human_bytes((double)own.memory).text, human_count((double)own.items).text, master.replicas);
    }
}

static void print_absent(const struct layout *layout, const struct part_info *info)
{
    for (unsigned i = 0; i < layout->parts; i++)
        if (info[i].state == PART_MISSING)
            (void)printf("\nPart %u is missing: there is no key %s", i, layout->key[i].text);
        else if (info[i].state == PART_WRONG)
            (void)printf("\nPart %u is wrong: under the key %s there is %s", i, layout->key[i].text,
                         info[i].spec[0] ? info[i].spec : "no filter");
}

static void print_human(const struct router *router, const struct layout *layout, const struct part_info *info)
{
    const struct sums all = sum_of(layout, info, -1);
    const double n = planned(layout);
    (void)printf("%s  %s\n", layout->name, layout->spec.text);
    (void)printf("  Parts          %u of %u\n", all.parts, layout->parts);
    (void)printf("  Keys           about %s of the %s planned for: %s\n", human_count((double)all.items).text,
                 human_count(n).text, human_percent(n > 0 ? (double)all.items / n : 0).text);
    (void)printf("  Memory         %s\n", human_bytes((double)all.memory).text);
    if (layout->key_id[0])
        (void)printf("  Key            %s\n", layout->key_id);
    print_masters(router, layout, info);
    if (all.parts < layout->parts) {
        print_absent(layout, info);
        (void)printf("\n");
    }
}

/* ---- as JSON ---- */

static json_t *part_object(const struct layout *layout, unsigned part, const struct part_info *info)
{
    static const char *const states[] = {"there", "missing", "wrong"};
    return json_pack("{s:I, s:o, s:I, s:s, s:I, s:I}", "part", (json_int_t)part, "key",
                     report_text(layout->key[part].text), "slot", (json_int_t)layout->key[part].slot, "state",
                     states[info->state], "keys", (json_int_t)info->items, "memory", (json_int_t)info->memory);
}

static json_t *master_object(const struct layout *layout, const struct part_info *info, const struct master *master)
{
    const struct sums own = sum_of(layout, info, master->number);
    return json_pack("{s:o, s:I, s:I, s:I, s:I, s:I}", "address", report_text(address_show(&master->address).text),
                     "slots", (json_int_t)master->slots, "parts", (json_int_t)own.parts, "memory",
                     (json_int_t)own.memory, "keys", (json_int_t)own.items, "replicas", (json_int_t)master->replicas);
}

static int print_object(const struct router *router, const struct layout *layout, const struct part_info *info)
{
    const struct sums all = sum_of(layout, info, -1);
    json_t *parts = json_array(), *masters = json_array();
    struct master master;
    for (unsigned i = 0; i < layout->parts; i++)
        (void)json_array_append_new(parts, part_object(layout, i, &info[i]));
    for (size_t i = 0; router_master(router, i, &master); i++)
        (void)json_array_append_new(masters, master_object(layout, info, &master));
    return report_json(json_pack("{s:o, s:o, s:o, s:I, s:I, s:I, s:o, s:o}", "name", report_text(layout->name), "spec",
                                 report_text(layout->spec.text), "key_id", report_text(layout->key_id), "missing",
                                 (json_int_t)(layout->parts - all.parts), "keys", (json_int_t)all.items, "memory",
                                 (json_int_t)all.memory, "masters", masters, "parts", parts));
}

/* ---- the action ---- */

static int show(const struct args *args, struct cluster_session *session, const struct layout *layout)
{
    struct part_info *info = calloc(layout->parts, sizeof *info);
    int status = info ? part_look(session->router, layout, info) : print_error("no memory for %u parts", layout->parts);
    if (!status && args_has(args, &option_json))
        status = print_object(session->router, layout, info);
    else if (!status && !args_has(args, &option_cluster_quiet))
        print_human(session->router, layout, info);
    if (!status && sum_of(layout, info, -1).parts < layout->parts)
        status = EXIT_NONE;
    free(info);
    return status;
}

int cluster_info(const struct args *args)
{
    struct cluster_session session;
    struct layout layout;
    if (cluster_session_open(args, &session))
        return EXIT_ERROR;
    int status = layout_open(session.router, session.name, &layout);
    if (!status) {
        status = show(args, &session, &layout);
        layout_close(&layout);
    }
    cluster_session_close(&session);
    return status;
}
