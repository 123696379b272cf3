/* SPDX-License-Identifier: MIT */
#include "program.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "help.h"
#include "message.h"
#include "paths.h"
#include "progress.h"
#include "report.h"
#include "shared.h"
#include "spelling.h"
#include "topics.h"
#include "ultrafilter.h"

static const struct command *find_command(const struct program *program, const char *name)
{
    for (const struct command *const *command = program->commands; *command; command++)
        if (!strcmp((*command)->name, name))
            return *command;
    return NULL;
}

static int unknown_command(const struct program *program, const char *name)
{
    struct suggestion near = {name, NULL, 0};
    for (const struct moved *moved = program->moved; moved && moved->name; moved++)
        if (!strcmp(name, moved->name))
            return print_error("%s is a command of another program now: use '%s'", name, moved->to);
    for (const struct moved *hint = program->hints; hint && hint->name; hint++)
        if (!strcmp(name, hint->name))
            return print_error("unknown command %s: use '%s %s'", name, program->name, hint->to);
    for (const struct command *const *command = program->commands; *command; command++)
        suggestion_consider(&near, (*command)->name);
    for (const char *const *other = (const char *const[]){"help", "--help", "--version", NULL}; *other; other++)
        suggestion_consider(&near, *other);
    return print_error("unknown %s %s%s%s%s; see '%s --help'", name[0] == '-' ? "option" : "command", name,
                       near.best ? " (did you mean " : "", near.best ? near.best : "", near.best ? "?)" : "",
                       program->name);
}

static int show_help(const struct program *program, const char *name)
{
    const struct command *command = name ? find_command(program, name) : NULL;
    if (name && !command && topic_print(stdout, name))
        return EXIT_FINE;
    if (name && !command && strcmp(name, "help") != 0)
        return unknown_command(program, name);
    if (command)
        help_command(stdout, program, command);
    else
        help_program(stdout, program);
    return EXIT_FINE;
}

/* Not in --help: the build calls it to make man pages and completions. */
static int generate(const struct program *program, const char *what, const char *name)
{
    static const struct {
        const char *shell;
        void (*write)(FILE *out, const struct program *program);
    } shells[] = {{"bash", complete_bash}, {"zsh", complete_zsh}, {"fish", complete_fish}};
    const struct command *command = name ? find_command(program, name) : NULL;
    if (name && !command)
        return unknown_command(program, name);
    for (size_t i = 0; what && i < sizeof shells / sizeof shells[0]; i++)
        if (!strcmp(what, shells[i].shell)) {
            shells[i].write(stdout, program);
            return EXIT_FINE;
        }
    if (!what || strcmp(what, "man") != 0)
        return print_error("--generate %s: not one of man, bash, zsh, fish", what ? what : "");
    man_page(stdout, program, command);
    return EXIT_FINE;
}

static void start_progress(const struct args *args)
{
    const char *when = args_has(args, &option_progress) ? args_value(args, &option_progress) : "auto";
    progress_start(!strcmp(when, "always") ? PROGRESS_ALWAYS : !strcmp(when, "never") ? PROGRESS_NEVER : PROGRESS_AUTO);
}

static int run_parsed(const struct args *args)
{
    if (args->help)
        return show_help(args->program, args->command->name);
    if (paths_check(args))
        return EXIT_ERROR;
    start_progress(args);
    return args->command->run(args);
}

static int run_command(const struct program *program, const struct command *command, char **words)
{
    struct args args;
    int status = args_parse(program, command, words, &args);
    if (!status)
        status = run_parsed(&args);
    args_free(&args);
    return status;
}

static int run_words(const struct program *program, char **words)
{
    const char *first = words[0];
    if (!first) {
        help_program(stderr, program);
        return EXIT_ERROR;
    }
    if (!strcmp(first, "--help") || !strcmp(first, "-h"))
        return show_help(program, NULL);
    if (!strcmp(first, "help"))
        return show_help(program, words[1]);
    if (!strcmp(first, "--version"))
        return printf("%s %s\n", program->name, uf_version()) < 0;
    if (!strcmp(first, "--generate"))
        return generate(program, words[1], words[1] ? words[2] : NULL);
    const struct command *command = find_command(program, first);
    return command ? run_command(program, command, words + 1) : unknown_command(program, first);
}

/* With descriptor 1 closed, the next file opened would become stdout and a report would go into it. */
static void open_missing_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
            abort();
}

int program_run(const struct program *program, int argc, char **argv)
{
    open_missing_descriptors();
    (void)signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error of write(), and the temporary file goes */
    message_start(program->name);
    report_open();
    int status = run_words(program, argv + (argc > 0));
    progress_hide();
    int closed = report_close();
    return closed ? closed : status;
}
