/* SPDX-License-Identifier: MIT */
#include "help.h"

#include <ctype.h>
#include <string.h>

#include "layout.h"
#include "topics.h"
#include "ultrafilter.h"

enum { NAME_COLUMN = 13, PAGE_COLUMN = 16, OPTION_COLUMN = 27, WORD_COLUMN = 24 };

void help_program(FILE *out, const struct program *program)
{
    char more[160];
    (void)fprintf(out, "usage: %s COMMAND [options] ...\n\n", program->name);
    layout_paragraph(out, program->about, 0, 0);
    (void)fprintf(out, "\nCommands:\n");
    for (const struct command *const *command = program->commands; *command; command++)
        layout_entry(out, (*command)->name, (*command)->summary, NAME_COLUMN);
    (void)fprintf(out, "\nPages, shown by '%s help PAGE':\n", program->name);
    for (const struct topic *topic = topics; topic->name; topic++)
        layout_entry(out, topic->name, topic->title, PAGE_COLUMN);
    (void)fprintf(out, "\nA first try:\n%s\n", program->example);
    (void)snprintf(more, sizeof more, "'%s COMMAND --help' tells more about one; --version prints the version.",
                   program->name);
    layout_paragraph(out, more, 0, 0);
}

/* "-o, --output FILE" */
static void option_label(const struct option *option, char *out, size_t size)
{
    char letter[8] = "    ";
    if (option->letter)
        (void)snprintf(letter, sizeof letter, "-%c, ", option->letter);
    (void)snprintf(out, size, "%s--%s%s%s", letter, option->name, option->value ? " " : "",
                   option->value ? option->value : "");
}

static void print_option(FILE *out, const struct option *option)
{
    char label[96];
    option_label(option, label, sizeof label);
    layout_entry(out, label, option->help, OPTION_COLUMN);
}

static int takes_kind(const struct command *command)
{
    for (const struct option *const *option = command->options; *option; option++)
        if ((*option)->type == VALUE_KIND)
            return 1;
    return 0;
}

static void print_kinds(FILE *out)
{
    const char *kind;
    (void)fprintf(out, "\nKinds:\n");
    for (size_t i = 0; (kind = uf_kind_name(i)); i++)
        layout_entry(out, kind, uf_kind_about(kind), NAME_COLUMN);
}

/* "Games:" and the words that the operand may be. */
static void print_words(FILE *out, const struct command *command)
{
    const char *word, *about;
    (void)fprintf(out, "\n%c%ss:\n", toupper((unsigned char)command->operand[0]), command->operand + 1);
    for (size_t i = 0; (word = command->word(i, &about)); i++)
        layout_entry(out, word, about, WORD_COLUMN);
}

void help_command(FILE *out, const struct program *program, const struct command *command)
{
    int at = fprintf(out, "usage: %s %s ", program->name, command->name);
    layout_paragraph(out, command->synopsis, at < 0 ? 0 : (size_t)at, 7);
    (void)fprintf(out, "\n");
    layout_paragraph(out, command->description, 0, 0);
    (void)fprintf(out, "\nOptions:\n");
    for (const struct option *const *option = command->options; *option; option++)
        print_option(out, *option);
    print_option(out, &option_help);
    if (takes_kind(command))
        print_kinds(out);
    if (command->word)
        print_words(out, command);
    (void)fprintf(out, "\nExamples:\n");
    for (const struct example *example = command->examples; example->line; example++)
        (void)fprintf(out, "  %s\n      %s\n", example->line, example->why);
    (void)fprintf(out, "\nExit status: ");
    layout_paragraph(out, command->exit_status, strlen("Exit status: "), 0);
}
