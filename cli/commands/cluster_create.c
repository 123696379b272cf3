/* SPDX-License-Identifier: MIT */
/* cluster create: an empty filter, in parts that are each small enough for a server to move. */
#include <stdio.h>
#include <stdlib.h>

#include "cluster.h"
#include "cluster_options.h"
#include "cluster_session.h"
#include "human.h"
#include "message.h"
#include "numbers.h"
#include "part_store.h"
#include "progress.h"
#include "report.h"
#include "request.h"
#include "secret.h"
#include "shared.h"
#include "signals.h"
#include "spec.h"
#include "store.h"

/* Parts are a multiple of this, which 2, 3, 4, 6 and 12 masters share evenly. */
enum { PARTS_STEP = 12 };

/* ---- what is asked for ---- */

static int read_spec(const struct args *args, uf_spec *out)
{
    uf_error why;
    int status = args_has(args, &option_spec) ? uf_spec_parse(args_value(args, &option_spec), out, &why)
                                              : request_keyed_spec(args, "blocked", out, &why);
    if (status != UF_OK)
        return print_error("%s", why.text);
    if (!spec_is_kind(out, "blocked") || spec_has(out, "part"))
        return print_error("%s: a filter over many servers is a whole one of kind blocked, which can be cut",
                           out->text);
    if (args_has(args, &option_key_file) && !uf_spec_is_keyed(out) && !spec_is(out, "seed", "derived"))
        return print_error("%s %s: the key has no use in %s; write keyed(%s)", args_label(args, &option_key_file).text,
                           args_value(args, &option_key_file), out->text, out->text);
    return EXIT_FINE;
}

static uf_spec with_part(const uf_spec *spec, unsigned parts)
{
    uf_spec part = *spec;
    char text[32];
    (void)snprintf(text, sizeof text, "0/%u", parts);
    (void)uf_spec_set(&part, "parts", NULL, NULL);
    (void)uf_spec_set(&part, "part", text, NULL);
    return part;
}

static int part_size(const uf_spec *spec, unsigned parts, uint64_t *bytes)
{
    const uf_spec part = with_part(spec, parts);
    uf_sizes sizes;
    uf_error why;
    if (uf_plan_sizes(&part, &sizes, sizeof sizes, &why) != UF_OK)
        return print_error("%s", why.text);
    *bytes = sizes.file_bytes;
    return EXIT_FINE;
}

/* As many as were asked for, or as few as keep a part below its limit. */
static int plan_parts(const struct args *args, const uf_spec *spec, uint64_t most, unsigned *parts)
{
    uint64_t wanted = 0, bytes;
    double said;
    if (uf_spec_get(spec, "parts", &said) == UF_OK) {
        if (args_has(args, &option_parts))
            return print_error("--parts and the parts=%.0f of --spec say the same: leave one out", said);
        wanted = (uint64_t)said;
    }
    if (args_whole(args, &option_parts, 1, MOST_PARTS, &wanted))
        return EXIT_ERROR;
    *parts = wanted ? (unsigned)wanted : PARTS_STEP;
    if (part_size(spec, *parts, &bytes))
        return EXIT_ERROR;
    for (; !wanted && bytes > most && *parts < MOST_PARTS; *parts += PARTS_STEP)
        if (part_size(spec, *parts + PARTS_STEP, &bytes))
            return EXIT_ERROR;
    if (*parts > MOST_PARTS)
        return print_error("it would take more than %d parts of %s: raise --part-bytes, which may be %s", MOST_PARTS,
                           human_bytes((double)most).text, human_bytes(MOST_PART_BYTES).text);
    return cluster_check_part(args->operand[1], bytes, *parts, most);
}

/* ---- making it ---- */

static int make_part(const struct layout *layout, unsigned part, const uf_context *context, uf_filter **out)
{
    const uf_spec spec = layout_part_spec(layout, part);
    uf_error why;
    if (uf_build(&spec, NULL, 0, context, out, &why) != UF_OK)
        return print_error("%s: %s", layout->name, why.text);
    (void)uf_set_normal(*out, layout->normal);
    return EXIT_FINE;
}

/* The first part settles the seed of all. */
static int plan_layout(const struct args *args, const uf_spec *spec, unsigned parts, const uf_context *context,
                       struct layout *out)
{
    const uf_spec first = with_part(spec, parts);
    uf_filter *part = NULL;
    uf_error why;
    if (uf_build(&first, NULL, 0, context, &part, &why) != UF_OK)
        return print_error("%s", why.text);
    (void)uf_set_normal(part, (args_has(args, &option_lowercase) ? UF_NORMAL_LOWERCASE : 0u) |
                                  (args_has(args, &option_trim) ? UF_NORMAL_TRIM : 0u));
    int status = layout_of_part(args->operand[1], part, out);
    uf_free(part);
    return status;
}

static int make_parts(const struct args *args, struct cluster_session *session, const struct layout *layout,
                      const uf_context *context)
{
    int status = EXIT_FINE;
    unsigned made = 0;
    progress_phase("creating", layout->parts);
    while (!status && made < layout->parts) {
        uf_filter *part = NULL;
        status = make_part(layout, made, context, &part);
        if (!status)
            status = part_send(session->router, layout, made, part, args_has(args, &option_overwrite));
        uf_free(part);
        made += !status;
        progress_show(made, 0);
        if (router_is_interrupted(session->router))
            status = EXIT_ERROR;
    }
    progress_hide();
    if (!status)
        status = layout_write(session->router, layout);
    if (status)
        cluster_undo(session, layout, made);
    return status;
}

static int report(const struct args *args, const struct layout *layout, uint64_t part_bytes)
{
    if (args_has(args, &option_json))
        return report_json(json_pack("{s:o, s:o, s:I, s:I, s:o}", "name", report_text(layout->name), "spec",
                                     report_text(layout->spec.text), "parts", (json_int_t)layout->parts, "bytes",
                                     (json_int_t)(part_bytes * layout->parts), "key_id", report_text(layout->key_id)));
    if (!args_has(args, &option_cluster_quiet))
        (void)printf("%s  blocked  %s in %u parts\n", layout->name,
                     human_bytes((double)part_bytes * layout->parts).text, layout->parts);
    return EXIT_FINE;
}

static int create(const struct args *args, struct cluster_session *session, const uf_context *context)
{
    struct layout layout;
    uf_spec spec;
    uint64_t most, bytes;
    unsigned parts = 0;
    if (read_spec(args, &spec) || cluster_part_bytes(args, &most) || plan_parts(args, &spec, most, &parts) ||
        part_size(&spec, parts, &bytes) || plan_layout(args, &spec, parts, context, &layout))
        return EXIT_ERROR;
    int status = cluster_make_room(args, session);
    const sigset_t before = signals_hold();
    if (!status)
        status = make_parts(args, session, &layout, context);
    signals_restore(&before);
    if (!status)
        status = report(args, &layout, bytes);
    layout_close(&layout);
    return status;
}

int cluster_create(const struct args *args)
{
    struct cluster_session session;
    uf_context context;
    if (request_exclusive(args, &option_spec) || request_check(args) || secret_check(args) ||
        store_open(args, &context))
        return EXIT_ERROR;
    int status = cluster_session_open(args, &session);
    if (!status) {
        status = create(args, &session, &context);
        cluster_session_close(&session);
    }
    store_close(&context);
    return status;
}
