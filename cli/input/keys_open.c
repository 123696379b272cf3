/* SPDX-License-Identifier: MIT */
/* Where keys come from: files, one after the other, and what they must not be. */
#include "keys.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "shared.h"

/* ---- files ---- */

/* A file that the first one is followed by counts only if it is there: a list that is missing is noticed before hours
 * of work went into those before it. */
static int look_at_next(struct keys_input *input, const char *path)
{
    struct stat about;
    const bool named = strcmp(path, "-") != 0;
    if (named ? stat(path, &about) || access(path, R_OK) : fstat(STDIN_FILENO, &about))
        return print_error("%s: cannot open the keys: %s", path, strerror(errno));
    input->regular &= S_ISREG(about.st_mode) && named;
    input->bytes += (uint64_t)about.st_size;
    return EXIT_FINE;
}

/* ---- what is in them ---- */

/* Bytes of another kind would make thousands of keys that nobody meant. */
static int refuse_foreign(const struct keys_input *input)
{
    const struct content *content = input->source.content;
    if (input->format.raw || !keys_are_lines(&input->format) || content->type == CONTENT_OTHER ||
        content->type == CONTENT_UTF8_MARK)
        return EXIT_FINE;
    return print_error("%s: is %s, not a list of keys%s%s (--raw takes its bytes for keys all the same)", input->name,
                       content->what, content->hint ? "; " : "", content->hint ? content->hint : "");
}

static int skip_mark(struct keys_input *input)
{
    char mark[3];
    for (size_t size = 0; size < sizeof mark;) {
        ssize_t got = source_read(&input->source, mark, sizeof mark - size);
        if (got <= 0)
            return EXIT_ERROR;
        size += (size_t)got;
    }
    return EXIT_FINE;
}

static int start_mark(struct keys_input *input, bool again)
{
    const enum keys_choice bom = input->format.bom;
    if (input->source.content->type != CONTENT_UTF8_MARK || !keys_are_lines(&input->format) || bom == KEEP)
        return EXIT_FINE;
    if (bom != STRIP && !again)
        print_warning("%s: begins with a byte order mark, which is %staken as part of the first key (--bom strip or "
                      "--bom keep says which)",
                      input->name, bom == KEEP_AND_WARN ? "" : "not ");
    return bom == KEEP_AND_WARN ? EXIT_FINE : skip_mark(input);
}

/* At the first byte of a file. */
static int start_file(struct keys_input *input, bool again)
{
    input->name = input->source.name;
    input->field = input->format.field;
    return refuse_foreign(input) || start_mark(input, again) ? EXIT_ERROR : EXIT_FINE;
}

static int start(struct keys_input *input)
{
    input->regular = input->source.regular && (!input->count || input->source.fd != STDIN_FILENO);
    input->bytes = input->source.bytes;
    int status = start_file(input, false);
    for (size_t i = 0; !status && i < input->count; i++)
        status = look_at_next(input, input->more[i]);
    if (!input->regular)
        input->bytes = 0;
    if (status)
        keys_close(input);
    return status;
}

/* ---- opening ---- */

int keys_open_bytes(const char *path, const struct keys_format *format, struct source *out)
{
    return format->raw ? source_open_raw(path, "the keys", out) : source_open(path, "the keys", out);
}

int keys_open(const char *path, const struct keys_format *format, struct keys_input *out)
{
    *out = (struct keys_input){.path = path, .format = *format};
    return keys_open_bytes(path, format, &out->source) ? EXIT_ERROR : start(out);
}

int keys_open_source(struct source *opened, const struct args *args, size_t first, const struct keys_format *format,
                     struct keys_input *out)
{
    *out = (struct keys_input){.source = *opened, .path = opened->path, .format = *format};
    if (args->operands > first) {
        out->more = args->operand + first + 1;
        out->count = args->operands - first - 1;
    }
    opened->fd = -1;
    opened->unpacking = NULL;
    return start(out);
}

/* ---- on the command line ---- */

/* Each of them as a file would have it: a record. */
static int open_typed(const struct args *args, const struct keys_format *format, struct source *out)
{
    struct keys_text text = {NULL, 0, 0};
    const char *key;
    size_t at = 0;
    int fits = 1;
    while (fits && (key = args_next(args, &option_key, &at)))
        fits = keys_text_add(&text, key, strlen(key)) && keys_text_add(&text, &format->separator, !format->width);
    int status =
        fits ? source_open_bytes("-e", text.data, text.size, out) : print_error("no memory for the keys of -e");
    free(text.data);
    return status;
}

/* People who know other tools give a key where a file belongs. */
static int check_are_files(const struct args *args, size_t first)
{
    for (size_t i = first; args_takes(args, &option_key) && i < args->operands; i++)
        if (strcmp(args->operand[i], "-") != 0 && access(args->operand[i], F_OK) && errno == ENOENT)
            return print_error("%s: there is no such file of keys; if it is a key, write -e %s", args->operand[i],
                               args->operand[i]);
    return EXIT_FINE;
}

int keys_open_operands(const struct args *args, size_t first, const struct keys_format *format, struct keys_input *out)
{
    const bool typed = args_has(args, &option_key);
    struct source source;
    if (check_are_files(args, first) || args_exclusive(args, &option_key, &option_column))
        return EXIT_ERROR;
    if (typed ? open_typed(args, format, &source) : keys_open_bytes(args_operand(args, first), format, &source))
        return EXIT_ERROR;
    if (!typed)
        return keys_open_source(&source, args, first, format, out);
    *out = (struct keys_input){.source = source, .path = source.path, .format = *format};
    out->more = args->operand + first;
    out->count = args->operands > first ? args->operands - first : 0;
    return start(out);
}

static int move_to(struct keys_input *input, const char *path, bool again)
{
    source_close(&input->source);
    return keys_open_bytes(path, &input->format, &input->source) ? EXIT_ERROR : start_file(input, again);
}

int keys_next_file(struct keys_input *input)
{
    if (input->at == input->count)
        return 0;
    input->done += input->source.bytes;
    return move_to(input, input->more[input->at++], false) ? -1 : 1;
}

int keys_rewind(struct keys_input *input)
{
    const bool moved = input->at != 0;
    input->done = 0;
    input->at = 0;
    if (moved)
        return move_to(input, input->path, true);
    return source_rewind(&input->source) || start_file(input, true) ? EXIT_ERROR : EXIT_FINE;
}

void keys_close(struct keys_input *input)
{
    source_close(&input->source);
}
