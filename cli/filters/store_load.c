/* SPDX-License-Identifier: MIT */
/*
 * Loading a filter from whatever has it. A plain file goes to the library by its name, which reads it with several
 * threads and may map it; anything else comes in pieces.
 */
#include "store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "message.h"
#include "progress.h"

enum { PIECE_BYTES = 256 << 10 };

/* What a file that is no filter is instead. */
static void hint_at(const struct content *content, char *out, size_t size)
{
    *out = 0;
    if (!content_is_filter(content) && content->type != CONTENT_OTHER)
        (void)snprintf(out, size, "; it is %s%s%s", content->what, content->hint ? ": " : "",
                       content->hint ? content->hint : "");
}

static int say_why(const char *name, const struct content *content, const uf_context *context, const uf_error *why)
{
    char hint[128] = "";
    if (why->status == UF_EFORMAT && content)
        hint_at(content, hint, sizeof hint);
    if (why->status == UF_EKEY && !context->secret)
        (void)snprintf(hint, sizeof hint, "; give it with --key-file");
    else if (why->status == UF_EKEY && store_has_several(context))
        (void)snprintf(hint, sizeof hint, ", and the others given do not fit either");
    return print_error("%s%s%s%s", name ? name : "", name ? ": " : "", why->text, hint);
}

int store_load_error(const char *path, const uf_context *context, const uf_error *why)
{
    struct source source = {.fd = -1};
    struct stat about;
    const bool look = why->status == UF_EFORMAT && !stat(path, &about) && S_ISREG(about.st_mode) &&
                      !source_open_raw(path, "it", &source);
    int status = say_why(NULL, look ? source.content : NULL, context, why);
    source_close(&source);
    return status;
}

/* ---- in pieces ---- */

static int feed(struct source *source, uf_loader *loader, uf_error *why)
{
    char *piece = malloc(PIECE_BYTES);
    ssize_t got = piece ? 1 : -1;
    if (!piece)
        (void)print_error("%s: no memory to read it", source->name);
    why->status = UF_OK;
    while (got > 0 && why->status == UF_OK) {
        got = source_read(source, piece, PIECE_BYTES);
        if (got > 0)
            (void)uf_loader_feed(loader, piece, (size_t)got, why);
    }
    free(piece);
    return got < 0 ? EXIT_ERROR : EXIT_FINE;
}

static int load_pieces(struct source *source, unsigned how, const uf_context *context, uf_filter **out)
{
    uf_loader *loader = NULL;
    uf_error why;
    if (uf_loader_new(context, how, &loader, &why) != UF_OK)
        return print_error("%s: %s", source->name, why.text);
    int status = feed(source, loader, &why);
    if (!status && (why.status != UF_OK || uf_loader_finish(loader, out, &why) != UF_OK))
        status = say_why(source->name, source->content, context, &why);
    uf_loader_free(loader);
    return status;
}

/* DCSO's format says nothing about how much comes. */
static int load_whole(struct source *source, unsigned how, const uf_context *context, uf_filter **out)
{
    char *data = NULL;
    size_t size;
    uf_error why;
    int status = source_read_all(source, &data, &size);
    if (!status && uf_load_bytes(data, size, how, context, out, &why) != UF_OK)
        status = say_why(source->name, source->content, context, &why);
    free(data);
    return status;
}

/* ---- by name ---- */

static int load_file(const struct source *source, unsigned how, const uf_context *context, uf_filter **out)
{
    uf_error why;
    return uf_load(source->path, how, context, out, &why) == UF_OK ? EXIT_FINE
                                                                   : say_why(NULL, source->content, context, &why);
}

int store_load_source(struct source *source, unsigned how, const uf_context *context, uf_filter **out, unsigned *format)
{
    const unsigned found = source->content->type == CONTENT_DCSO ? UF_FORMAT_DCSO : UF_FORMAT_UF;
    int status;
    if (format)
        *format = found;
    progress_library_phase("loading");
    if (source_is_file(source))
        status = load_file(source, how | found, context, out);
    else if (how & UF_MAP)
        status = print_error("%s: only a plain file can be mapped; leave out --mmap", source->name);
    else if (found == UF_FORMAT_DCSO)
        status = load_whole(source, how | found, context, out);
    else
        status = load_pieces(source, how, context, out);
    progress_hide();
    source_close(source);
    return status;
}

int store_load(const char *path, unsigned how, const uf_context *context, uf_filter **out)
{
    struct source source;
    return source_open(path, "the filter", &source) ? EXIT_ERROR : store_load_source(&source, how, context, out, NULL);
}
