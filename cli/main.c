/* SPDX-License-Identifier: MIT */
/*
 * ultrafilter: the table of subcommands and the way to them. A subcommand is a `struct command`
 * (args.h) in a file cmd_NAME.c; adding one takes that file, a line in commands.h, a line in the table
 * here, and its name in CMakeLists.txt, which also makes its man page.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "guess.h"
#include "help.h"
#include "progress.h"
#include "report.h"
#include "say.h"
#include "ultrafilter.h"

const struct command *const command_table[] = {
    &command_build, &command_rebuild, &command_train, &command_insert,  &command_remove, &command_query,
    &command_merge, &command_info,    &command_plan,  &command_publish, &command_ledger, &command_keygen,
    &command_sign,  &command_verify,  &command_audit, &command_game,    &command_attack, &command_reproduce,
    NULL,
};

static const struct command *find_command(const char *name)
{
    for (const struct command *const *command = command_table; *command; command++)
        if (!strcmp((*command)->name, name))
            return *command;
    return NULL;
}

static int unknown_command(const char *name)
{
    struct guess guess = {name, NULL, 0};
    for (const struct command *const *command = command_table; *command; command++)
        guess_consider(&guess, (*command)->name);
    for (const char *const *other = (const char *const[]){"help", "--help", "--version", NULL}; *other; other++)
        guess_consider(&guess, *other);
    return say_error("unknown %s %s%s%s%s; see 'ultrafilter --help'", name[0] == '-' ? "option" : "command", name,
                     guess.best ? " (did you mean " : "", guess.best ? guess.best : "", guess.best ? "?)" : "");
}

static int show_help(const char *name)
{
    const struct command *command = name ? find_command(name) : NULL;
    if (name && !command && strcmp(name, "help") != 0)
        return unknown_command(name);
    if (command)
        help_command(stdout, command);
    else
        help_program(stdout);
    return EXIT_FINE;
}

/* Not in --help: the build calls it to make man pages and completions. */
static int generate(const char *what, const char *name)
{
    static const struct {
        const char *shell;
        void (*write)(FILE *out);
    } shells[] = {{"bash", complete_bash}, {"zsh", complete_zsh}, {"fish", complete_fish}};
    const struct command *command = name ? find_command(name) : NULL;
    if (name && !command)
        return unknown_command(name);
    for (size_t i = 0; what && i < sizeof shells / sizeof shells[0]; i++)
        if (!strcmp(what, shells[i].shell)) {
            shells[i].write(stdout);
            return EXIT_FINE;
        }
    if (!what || strcmp(what, "man") != 0)
        return say_error("--generate %s: not one of man, bash, zsh, fish", what ? what : "");
    man_page(stdout, command);
    return EXIT_FINE;
}

static void start_progress(const struct args *args)
{
    const char *when = args_has(args, OPT_PROGRESS) ? args->value[OPT_PROGRESS] : "auto";
    progress_start(!strcmp(when, "always") ? PROGRESS_ALWAYS : !strcmp(when, "never") ? PROGRESS_NEVER : PROGRESS_AUTO);
}

static int run_command(const struct command *command, char **words)
{
    struct args args;
    if (args_parse(command, words, &args))
        return EXIT_ERROR;
    if (args_has(&args, OPT_HELP))
        return show_help(command->name);
    start_progress(&args);
    return command->run(&args);
}

static int run_words(char **words)
{
    const char *first = words[0];
    if (!first) {
        help_program(stderr);
        return EXIT_ERROR;
    }
    if (!strcmp(first, "--help") || !strcmp(first, "-h"))
        return show_help(NULL);
    if (!strcmp(first, "help"))
        return show_help(words[1]);
    if (!strcmp(first, "--version"))
        return printf("ultrafilter %s\n", uf_version()) < 0;
    if (!strcmp(first, "--generate"))
        return generate(words[1], words[1] ? words[2] : NULL);
    const struct command *command = find_command(first);
    return command ? run_command(command, words + 1) : unknown_command(first);
}

/* With descriptor 1 closed, the next file opened would become stdout and a report would go into it. */
static void open_missing_descriptors(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd ? O_RDONLY : O_WRONLY) != fd)
            abort();
}

int main(int argc, char **argv)
{
    open_missing_descriptors();
    (void)signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error of write(), and the temporary file goes */
    int status = run_words(argv + (argc > 0));
    progress_hide();
    int closed = report_close();
    return closed ? closed : status;
}
