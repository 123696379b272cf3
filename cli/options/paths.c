/* SPDX-License-Identifier: MIT */
#include "paths.h"

#include <fcntl.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "message.h"
#include "shared.h"

/* ---- which file a name is of ---- */

struct place {
    bool exists;
    struct stat about;   /* of the file, or of the folder that it would be in */
    char name[NAME_MAX]; /* of a file that does not exist */
};

static bool find(const char *path, struct place *out)
{
    char folder[PATH_MAX], name[PATH_MAX];
    *out = (struct place){.exists = false};
    out->exists = !stat(path, &out->about);
    if (out->exists)
        return true;
    if (strlen(path) >= PATH_MAX)
        return false;
    strcpy(folder, path);
    strcpy(name, path);
    (void)snprintf(out->name, sizeof out->name, "%.*s", NAME_MAX - 1, basename(name));
    return !stat(dirname(folder), &out->about);
}

static bool same_place(const struct place *a, const struct place *b)
{
    return a->exists == b->exists && a->about.st_dev == b->about.st_dev && a->about.st_ino == b->about.st_ino &&
           !strcmp(a->name, b->name);
}

bool paths_same(const char *a, const char *b)
{
    struct place first, second;
    return find(a, &first) && find(b, &second) && same_place(&first, &second);
}

/* ---- what is there ---- */

/* By how a file begins. What cannot be made again is never written over. */
static const struct content {
    const char *begins;
    size_t size;
    enum value_type what;
    const char *noun;
    bool precious;
} contents[] = {
    {"\x89UFL", 4, VALUE_TO_FILTER, "a filter", false},
    {"\x01\0\0\0\0\0\0\0", 8, VALUE_TO_FILTER, "a filter", false}, /* of DCSO's bloom */
    {"\x89UFM", 4, VALUE_TO_MODEL, "a model", false},
    {"ultrafilter-signature-", 22, VALUE_TO_SIGNATURE, "a signature", false},
    {"ultrafilter-verify-", 19, VALUE_TO_VERIFY_KEY, "a verify key", false},
    {"ultrafilter-key-", 16, VALUE_TO_KEY, "a master key", true},
    {"ultrafilter-ledger-", 19, VALUE_TO_LEDGER, "a ledger", true},
};

enum { CONTENTS = sizeof contents / sizeof contents[0] };

static const char *noun_of(enum value_type what)
{
    for (size_t i = 0; i < CONTENTS; i++)
        if (contents[i].what == what)
            return contents[i].noun;
    return "a file";
}

/* Not through stdio: it may be a key, of which no copy must stay behind in a buffer. -1: there is no file. One that we
 * may not read has something in it that nobody knows. */
static ssize_t read_start(const char *path, char *out, size_t room)
{
    struct stat about;
    if (stat(path, &about) || !S_ISREG(about.st_mode))
        return -1;
    memset(out, 0, room);
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    ssize_t size = fd < 0 ? -1 : read(fd, out, room);
    if (fd >= 0)
        close(fd);
    return size < 0 ? about.st_size > 0 : size;
}

static int refuse(const struct args *args, const char *path, const char *is)
{
    return print_error("%s: %s: choose another file name%s", path, is,
                       args_takes(args, &option_overwrite) ? ", or add --overwrite" : "");
}

/* What it is, NULL when nobody knows. *size: what could be read of its start, -1 for what is no file. */
static const struct content *look(const char *path, ssize_t *size)
{
    char head[32];
    const struct content *found = NULL;
    *size = read_start(path, head, sizeof head);
    for (size_t i = 0; i < CONTENTS; i++)
        if (*size >= (ssize_t)contents[i].size && !memcmp(head, contents[i].begins, contents[i].size))
            found = &contents[i];
    explicit_bzero(head, sizeof head);
    return found;
}

static int check_precious(const char *path)
{
    ssize_t size;
    const struct content *found = look(path, &size);
    if (!found || !found->precious)
        return EXIT_FINE;
    return print_error("%s: is %s, which would be lost: choose another file name", path, found->noun);
}

/* An empty file is nobody's. */
static int check_content(const struct args *args, const char *path, enum value_type what)
{
    char text[96];
    ssize_t size;
    const struct content *found = look(path, &size);
    if (size <= 0 || (found && found->what == what) || args_has(args, &option_overwrite))
        return EXIT_FINE;
    (void)snprintf(text, sizeof text, "is there already, and is %s%s", found ? found->noun : "not ",
                   found ? "" : noun_of(what));
    return refuse(args, path, text);
}

/* ---- what is read ---- */

typedef bool path_visitor(void *arg, const struct option *option, const char *path);

/* Calls `visit` for every file that the command reads, until it returns true. An operand comes without an option. */
static bool each_input(const struct args *args, path_visitor *visit, void *arg)
{
    const struct command *command = args->command;
    for (size_t i = command->in_place; !command->operand && i < args->operands; i++)
        if (strcmp(args->operand[i], "-") != 0 && visit(arg, NULL, args->operand[i]))
            return true;
    for (const struct given *given = args->given; given < args->given + args->givens; given++) {
        const struct option *option = given->option;
        if (option->type == VALUE_FILE && visit(arg, option, given->value))
            return true;
        if (option->type == VALUE_TEXT && !strncmp(given->value, "file:", 5) && visit(arg, option, given->value + 5))
            return true;
    }
    return visit(arg, NULL, "/dev/stdin");
}

/* An output, and the input that is the same file. */
struct meeting {
    const struct args *args;
    struct place output;
};

static bool meets(void *arg, const struct option *option, const char *path)
{
    const struct meeting *meeting = arg;
    const struct command *command = meeting->args->command;
    struct place input;
    if (option ? option == command->over : command->over_operands)
        return false;
    return find(path, &input) && input.exists && S_ISREG(input.about.st_mode) && same_place(&input, &meeting->output);
}

static int check_inputs(const struct args *args, const char *path)
{
    struct meeting meeting = {.args = args};
    if (args_has(args, &option_overwrite) || !find(path, &meeting.output) || !each_input(args, meets, &meeting))
        return EXIT_FINE;
    return check_precious(path) ? EXIT_ERROR : refuse(args, path, "is a file that this command reads");
}

/* ---- what is written ---- */

static int check_other_outputs(const struct args *args, size_t index)
{
    const struct command *command = args->command;
    for (size_t i = 0; i < index; i++)
        if (args->value[i] && value_is_output(command->options[i]->type) &&
            paths_same(args->value[i], args->value[index]))
            return print_error("%s: is what both %s and %s would write: give two names", args->value[index],
                               args_label(args, command->options[i]).text,
                               args_label(args, command->options[index]).text);
    return EXIT_FINE;
}

int paths_check_output(const struct args *args, const char *path, enum value_type what)
{
    /* keygen and the ledger look for themselves at what is there. */
    const bool looks = what != VALUE_TO_KEY && what != VALUE_TO_LEDGER;
    if (what == VALUE_TO_FILTER && !strcmp(path, "-")) /* what is there was the shell's to decide */
        return check_inputs(args, "/dev/stdout");
    if ((looks && check_precious(path)) || check_inputs(args, path))
        return EXIT_ERROR;
    return looks ? check_content(args, path, what) : EXIT_FINE;
}

int paths_check(const struct args *args)
{
    const struct command *command = args->command;
    int status = EXIT_FINE;
    if (command->in_place && args->operands)
        status = check_precious(args->operand[0]) || check_inputs(args, args->operand[0]) ? EXIT_ERROR : EXIT_FINE;
    for (size_t i = 0; !status && command->options[i]; i++)
        if (args->value[i] && value_is_output(command->options[i]->type))
            status = check_other_outputs(args, i);
    for (size_t i = 0; !status && command->options[i]; i++)
        if (args->value[i] && value_is_output(command->options[i]->type))
            status = paths_check_output(args, args->value[i], command->options[i]->type);
    return status;
}
