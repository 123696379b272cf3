/* SPDX-License-Identifier: MIT */
#include "help.h"

#include <ctype.h>
#include <string.h>

#include "layout.h"
#include "ultrafilter.h"

enum { NAME_COLUMN = 13, OPTION_COLUMN = 27, WORD_COLUMN = 24 };

const char help_about[] =
    "UltraFilter answers \"is this key in the set?\" from a file of about ten bits per key. A key that was added is "
    "always "
    "found; a few others are too, at a rate that you choose. Keys are lines: words, addresses, URLs, hashes, anything.";

void help_program(FILE *out)
{
    (void)fprintf(out, "usage: ultrafilter COMMAND [options] ...\n\n");
    layout_paragraph(out, help_about, 0, 0);
    (void)fprintf(out, "\nCommands:\n");
    for (const struct command *const *command = command_table; *command; command++)
        layout_entry(out, (*command)->name, (*command)->summary, NAME_COLUMN);
    (void)fprintf(out, "\nA first try:\n"
                       "  ultrafilter build -o words.uf -p 0.01 words.txt\n"
                       "  echo hello | ultrafilter query words.uf\n"
                       "\n'ultrafilter COMMAND --help' tells more about one; --version prints the version.\n");
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

static void print_option(FILE *out, enum option_id id)
{
    char label[96];
    option_label(&option_table[id], label, sizeof label);
    layout_entry(out, label, option_table[id].help, OPTION_COLUMN);
}

static int takes_kind(const struct command *command)
{
    for (const enum option_id *id = command->options; *id != OPT_END; id++)
        if (*id == OPT_KIND)
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

void help_command(FILE *out, const struct command *command)
{
    (void)fprintf(out, "usage: ultrafilter %s ", command->name);
    layout_paragraph(out, command->synopsis, strlen("usage: ultrafilter  ") + strlen(command->name), 7);
    (void)fprintf(out, "\n");
    layout_paragraph(out, command->description, 0, 0);
    (void)fprintf(out, "\nOptions:\n");
    for (const enum option_id *id = command->options; *id != OPT_END; id++)
        print_option(out, *id);
    print_option(out, OPT_HELP);
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
