/* SPDX-License-Identifier: MIT */
/* cluster load and save: from files to the servers, and back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cluster.h"
#include "cluster_options.h"
#include "cluster_session.h"
#include "message.h"
#include "numbers.h"
#include "part_store.h"
#include "progress.h"
#include "report.h"
#include "shared.h"
#include "signals.h"
#include "spec.h"
#include "store.h"
#include "written.h"

/* ---- load ---- */

struct loading {
    const struct args *args;
    struct cluster_session *session;
    const uf_context *context;
    struct layout layout; /* parts 0: not known yet */
    uint64_t most;        /* bytes of a part */
    unsigned loaded;
    bool whole; /* a new filter, of which the first parts are there so far */
};

static uint64_t file_bytes(const uf_filter *filter)
{
    uf_sizes sizes = {.file_bytes = 0};
    (void)uf_get_sizes(filter, &sizes, sizeof sizes);
    return sizes.file_bytes;
}

static int send_one(struct loading *loading, const char *path, const uf_filter *part)
{
    unsigned index;
    if (!layout_has_filter(&loading->layout, part, &index))
        return print_error("%s: is no part of %s: %s in %u parts", path, loading->layout.name,
                           loading->layout.spec.text, loading->layout.parts);
    if (cluster_check_part(path, file_bytes(part), loading->layout.parts, loading->most))
        return EXIT_ERROR;
    int status =
        part_send(loading->session->router, &loading->layout, index, part, args_has(loading->args, &option_overwrite));
    loading->loaded += !status;
    progress_show(loading->loaded, 0);
    return router_is_interrupted(loading->session->router) ? EXIT_ERROR : status;
}

/* A cut that its blocks allow, with parts below the limit: a multiple of 12, where there is one. */
static unsigned choose_parts(const uf_filter *whole, uint64_t most)
{
    uf_sizes sizes = {.payload_bytes = 0};
    (void)uf_get_sizes(whole, &sizes, sizeof sizes);
    const uint64_t blocks = sizes.payload_bytes / 64, header = sizes.file_bytes - sizes.payload_bytes;
    for (int step = 12; step; step = step > 1 ? 1 : 0)
        for (unsigned parts = (unsigned)step; parts <= MOST_PARTS; parts += (unsigned)step)
            if (blocks % parts == 0 && sizes.payload_bytes / parts + header <= most)
                return parts;
    return 0;
}

static int split_one(const struct loading *loading, const char *path, const uf_filter *whole, unsigned parts,
                     unsigned index, uf_filter **out)
{
    uf_error why;
    return uf_split(whole, parts, index, loading->context, out, &why) == UF_OK ? EXIT_FINE
                                                                               : print_error("%s: %s", path, why.text);
}

static int load_whole(struct loading *loading, const char *path, const uf_filter *whole)
{
    uint64_t wanted = 0;
    uf_filter *part = NULL;
    if (args_whole(loading->args, &option_parts, 1, MOST_PARTS, &wanted))
        return EXIT_ERROR;
    uf_spec spec;
    uf_get_plan(whole, &spec);
    if (!spec_is_kind(&spec, "blocked"))
        return print_error("%s: is of kind %s: a filter over many servers is of kind blocked, which can be cut", path,
                           uf_spec_kind(&spec));
    const unsigned parts = wanted ? (unsigned)wanted : choose_parts(whole, loading->most);
    if (!parts)
        return print_error("%s: its blocks cannot be shared evenly by so few parts: build it with parts=N in --spec",
                           path);
    if (cluster_make_room(loading->args, loading->session) || split_one(loading, path, whole, parts, 0, &part))
        return EXIT_ERROR;
    int status = layout_of_part(loading->session->name, part, &loading->layout);
    loading->whole = true;
    progress_phase("loading", parts);
    for (unsigned i = 0; !status && i < parts; i++) {
        if (i)
            status = split_one(loading, path, whole, parts, i, &part);
        if (!status)
            status = send_one(loading, path, part);
        uf_free(part);
        part = NULL;
    }
    uf_free(part);
    return status;
}

/* Parts may come from several machines: what is there already must be of the same filter. */
static int start_parts(struct loading *loading, const uf_filter *part)
{
    int status = layout_read(loading->session->router, loading->session->name, &loading->layout);
    unsigned index;
    if (status == EXIT_FINE && !layout_has_filter(&loading->layout, part, &index) &&
        args_has(loading->args, &option_overwrite)) {
        layout_close(&loading->layout);
        status = cluster_make_room(loading->args, loading->session) ? EXIT_ERROR : EXIT_NONE;
    }
    if (status != EXIT_NONE)
        return status;
    return layout_of_part(loading->session->name, part, &loading->layout);
}

static int load_file(struct loading *loading, const char *path)
{
    uf_filter *filter;
    char text[32];
    uf_spec spec;
    if (store_load(path, UF_WITHOUT_KEY, loading->context, &filter))
        return EXIT_ERROR;
    uf_get_plan(filter, &spec);
    const bool is_part = uf_spec_get_text(&spec, "part", text, sizeof text) == UF_OK;
    int status = EXIT_FINE;
    if (!is_part)
        status = loading->args->operands == 3 ? load_whole(loading, path, filter)
                                              : print_error("%s: is a whole filter: load it alone, or parts", path);
    else if (args_has(loading->args, &option_parts))
        status = print_error("%s: is a part already: --parts is for a whole filter", path);
    if (!status && is_part && !loading->layout.parts)
        status = start_parts(loading, filter);
    if (!status && is_part)
        status = send_one(loading, path, filter);
    uf_free(filter);
    return status;
}

static int report_loaded(const struct args *args, const struct loading *loading)
{
    if (args_has(args, &option_json))
        return report_json(json_pack("{s:o, s:o, s:I, s:I}", "name", report_text(loading->layout.name), "spec",
                                     report_text(loading->layout.spec.text), "parts", (json_int_t)loading->layout.parts,
                                     "loaded", (json_int_t)loading->loaded));
    if (!args_has(args, &option_cluster_quiet))
        (void)printf("%s  %u of %u parts loaded\n", loading->layout.name, loading->loaded, loading->layout.parts);
    return EXIT_FINE;
}

static int load(const struct args *args, struct cluster_session *session, const uf_context *context)
{
    struct loading loading = {.args = args, .session = session, .context = context};
    int status = cluster_part_bytes(args, &loading.most);
    if (!args_has(args, &option_part_bytes) && args_has(args, &option_parts))
        loading.most = MOST_PART_BYTES;
    const sigset_t before = signals_hold();
    for (size_t i = 2; !status && i < args->operands; i++)
        status = load_file(&loading, args->operand[i]);
    progress_hide();
    if (!status)
        status = layout_write(session->router, &loading.layout);
    if (status && loading.whole)
        cluster_undo(session, &loading.layout, loading.loaded);
    signals_restore(&before);
    if (!status)
        status = report_loaded(args, &loading);
    layout_close(&loading.layout);
    return status;
}

int cluster_load(const struct args *args)
{
    struct cluster_session session;
    uf_context context = store_context(1);
    if (args->operands < 3)
        return print_error("cluster load: a file is missing: F.uf, or files of its parts");
    if (cluster_session_open(args, &session))
        return EXIT_ERROR;
    int status = load(args, &session, &context);
    cluster_session_close(&session);
    return status;
}

/* ---- save ---- */

static int join(const struct args *args, const struct layout *layout, const uf_filter *const *part,
                const uf_context *context)
{
    const char *path = args_value(args, &option_output);
    uf_filter *whole = NULL;
    uf_error why;
    if (uf_join(part, layout->parts, context, &whole, &why) != UF_OK)
        return print_error("%s: %s", layout->name, why.text);
    int status = store_lock(path) ? EXIT_ERROR : store_save(whole, path, UF_FORMAT_UF);
    if (!status)
        status = report_written(args, &(struct report_written){path, whole, layout->parts, "part", " joined", "joined",
                                                               true, args_has(args, &option_cluster_quiet)});
    uf_free(whole);
    return status;
}

static int fetch_all(struct router *router, const struct layout *layout, const uf_context *context, uf_filter **part)
{
    int status = EXIT_FINE;
    progress_phase("fetching", layout->parts);
    for (unsigned i = 0; !status && i < layout->parts; i++) {
        status = part_fetch(router, layout, i, context, &part[i]);
        progress_show(i + 1, 0);
    }
    progress_hide();
    return status;
}

static int save(const struct args *args, struct cluster_session *session)
{
    uf_context context = store_context(1);
    struct layout layout;
    if (layout_open(session->router, session->name, &layout))
        return EXIT_ERROR;
    uf_filter **part = calloc(layout.parts, sizeof *part);
    int status = part ? part_check_all(session->router, &layout) : print_error("no memory for %u parts", layout.parts);
    if (!status)
        status = fetch_all(session->router, &layout, &context, part);
    if (!status)
        status = join(args, &layout, (const uf_filter *const *)part, &context);
    for (unsigned i = 0; part && i < layout.parts; i++)
        uf_free(part[i]);
    free(part);
    layout_close(&layout);
    return status;
}

int cluster_save(const struct args *args)
{
    struct cluster_session session;
    if (args_require(args, &option_output) || store_check_output(args_value(args, &option_output)) ||
        cluster_session_open(args, &session))
        return EXIT_ERROR;
    int status = save(args, &session);
    cluster_session_close(&session);
    return status;
}
