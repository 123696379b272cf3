/* SPDX-License-Identifier: MIT */
/*
 * The report as JSON. Keys that scripts rely on: `limits`, and `results` [{name, kind, n, key_bytes, threads, op, ns,
 * ratio_limit, ratio_libbloom}]. A number that is not known is null. `ns` is per key, except for the operations
 * "load" and "load-map", where it is the whole call. ratio_limit is ns over the limit (smaller is better),
 * ratio_libbloom is libbloom's ns over ns (larger is better). p50 and p99, of single queries on one thread, are their
 * latency; `clock` has the resolution of it.
 */
#include "report.h"

#include "team.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static json_t *machine_json(const struct machine *machine, const struct limits *limits)
{
    return json_pack("{s:s, s:i, s:s, s:f, s:s, s:s, s:s, s:s, s:s, s:I, s:I}", "cpu", machine->cpu, "cpus",
                     (int)machine->cpus, "caches", machine->caches, "memory_gib", machine->memory_gib, "huge_pages",
                     machine->huge_pages, "glibc_tunables", machine->tunables, "compiler", machine->compiler, "system",
                     machine->system, "versions", machine->peers, "huge_bytes_asked", (json_int_t)limits->huge_asked,
                     "huge_bytes_got", (json_int_t)limits->huge_got);
}

static json_t *line_json(const char *name, size_t bytes, const struct lines_best *best)
{
    return json_pack("{s:s, s:I, s:i, s:f, s:i, s:i}", "name", name, "bytes", (json_int_t)bytes, "threads",
                     (int)best->threads, "ns", best->ns, "prefetch_level", best->level, "prefetch_ahead",
                     (int)best->ahead);
}

static json_t *limits_json(const struct limits *limits)
{
    json_t *list = json_array();
    for (size_t i = 0; i < limits->plain_count; i++) {
        const struct plain_limit *limit = &limits->plain[i];
        json_t *item = json_pack("{s:s, s:I, s:i, s:f}", "name", limit->name, "bytes", (json_int_t)limit->bytes,
                                 "threads", (int)limit->threads, "ns", limit->ns);
        if (strcmp(limit->name, "sequential_read") == 0) {
            json_object_set_new(item, "gb_per_s", json_real(1 / limit->ns));
        }
        json_array_append_new(list, item);
    }
    for (size_t i = 0; i < limits->lines_count; i++) {
        const struct line_limit *limit = &limits->lines[i];
        json_array_append_new(list, line_json("random_line_read", limit->bytes, &limit->read));
        json_array_append_new(list, line_json("random_line_update", limit->bytes, &limit->update));
    }
    return list;
}

static json_t *result_json(const struct result *row)
{
    json_t *item =
        json_pack("{s:s, s:s, s:I, s:I, s:i, s:s, s:f, s:o, s:o, s:f, s:o, s:I, s:i}", "name", row->peer->name, "kind",
                  row->peer->kind, "n", (json_int_t)row->n, "key_bytes", (json_int_t)row->key_bytes, "threads",
                  (int)row->threads, "op", op_name(row->op), "ns", row->ns, "ratio_limit", number(row->ratio_limit),
                  "ratio_libbloom", number(row->ratio_libbloom), "bits_per_key", row->bits_per_key, "fpr",
                  number(row->fpr), "bytes", (json_int_t)row->bytes, "runs", (int)row->runs);
    if (row->op >= OP_READ && row->op != OP_LOAD_MAP) {
        json_object_set_new(item, "gb_per_s", json_real((double)row->bytes / row->ns));
    }
    if (!isnan(row->alone.p50)) {
        json_object_set_new(item, "p50", json_real(row->alone.p50));
        json_object_set_new(item, "p99", json_real(row->alone.p99));
    }
    if (row->memory > 0) {
        json_object_set_new(item, "memory", json_real(row->memory));
    }
    return item;
}

int report_json(const char *path, const struct machine *machine, const struct options *options,
                const struct limits *limits, const struct results *results)
{
    json_t *list = json_array();
    for (size_t i = 0; i < results->count; i++) {
        json_array_append_new(list, result_json(&results->rows[i]));
    }
    const struct latency_clock *clock = latency_clock();
    json_t *root = json_pack("{s:s, s:f, s:s, s:f, s:{s:f, s:f}, s:o, s:o, s:o}", "mode",
                             options->full ? "full" : "quick", "fpr", options->fpr, "taken", "minimum", "cpu_share",
                             team_cpu_share(), "clock", "tick_ns", clock->tick_ns, "empty_ns", clock->empty_ns,
                             "machine", machine_json(machine, limits), "limits", limits_json(limits), "results", list);
    int status = root ? json_dump_file(root, path, JSON_INDENT(1) | JSON_REAL_PRECISION(6)) : -1;
    json_decref(root);
    if (status != 0) {
        fprintf(stderr, "uf_bench: could not write %s\n", path);
    }
    return status;
}
