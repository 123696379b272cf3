/* SPDX-License-Identifier: MIT */
/* Man pages in roff, macro package man(7). There is no date in them: the same tables give the same bytes. */
#include "help.h"

#include <ctype.h>
#include <string.h>

#include "ultrafilter.h"

/* Characters that roff would read as its own, or typeset as another one. */
static void character(FILE *out, char letter)
{
    static const struct {
        char letter;
        const char *roff;
    } special[] = {{'\\', "\\e"}, {'-', "\\-"}, {'\'', "\\(aq"}, {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};
    for (size_t i = 0; i < sizeof special / sizeof special[0]; i++)
        if (letter == special[i].letter) {
            (void)fputs(special[i].roff, out);
            return;
        }
    (void)fputc(letter, out);
}

/* A line of text; an empty line inside it starts a paragraph. */
static void text(FILE *out, const char *from)
{
    for (bool line_start = true; *from; from++) {
        if (!strncmp(from, "\n\n", 2)) {
            (void)fputs("\n.PP", out);
            from++;
        }
        if (line_start && *from == '.')
            (void)fputs("\\&", out);
        character(out, *from);
        line_start = *from == '\n';
    }
    (void)fputc('\n', out);
}

static void characters(FILE *out, const char *from)
{
    for (; *from; from++)
        character(out, *from);
}

static void bold(FILE *out, const char *prefix, const char *word)
{
    (void)fputs("\\fB", out);
    characters(out, prefix);
    characters(out, word);
    (void)fputs("\\fR", out);
}

/* "ultrafilter-query", or "ultrafilter" where there is no command. */
static void header(FILE *out, const struct program *program, const struct command *command)
{
    char page[64], title[64];
    (void)snprintf(page, sizeof page, "%s%s%s", program->name, command ? "-" : "", command ? command->name : "");
    for (size_t i = 0; i < sizeof page; i++)
        title[i] = (char)toupper((unsigned char)page[i]);
    (void)fprintf(out, ".TH %s 1 \"\" \"UltraFilter " UF_VERSION "\" \"User Commands\"\n.SH NAME\n", title);
    text(out, page);
    (void)fputs("\\- ", out);
    text(out, command ? command->summary : program->summary);
}

static void option(FILE *out, const struct option *option)
{
    (void)fputs(".TP\n", out);
    if (option->letter) {
        bold(out, "-", (char[]){option->letter, 0});
        (void)fputs(", ", out);
    }
    bold(out, "--", option->name);
    if (option->value)
        (void)fprintf(out, " \\fI%s\\fR", option->value);
    (void)fputc('\n', out);
    text(out, option->help);
}

static void entry(FILE *out, const char *name, const char *about)
{
    (void)fputs(".TP\n", out);
    bold(out, "", name);
    (void)fputc('\n', out);
    text(out, about);
}

static void options(FILE *out, const struct command *command)
{
    bool kinds = false;
    const char *kind;
    (void)fputs(".SH OPTIONS\n", out);
    for (const struct option *const *at = command->options; *at; at++) {
        option(out, *at);
        kinds |= (*at)->type == VALUE_KIND;
    }
    option(out, &option_help);
    if (kinds)
        (void)fputs(".SH KINDS\n", out);
    for (size_t i = 0; kinds && (kind = uf_kind_name(i)); i++)
        entry(out, kind, uf_kind_about(kind));
}

static void words(FILE *out, const struct command *command)
{
    const char *word, *about;
    (void)fputs(".SH ", out);
    for (const char *letter = command->operand; *letter; letter++)
        (void)fputc(toupper((unsigned char)*letter), out);
    (void)fputs("S\n", out);
    for (size_t i = 0; (word = command->word(i, &about)); i++)
        entry(out, word, about);
}

static void command_page(FILE *out, const struct program *program, const struct command *command)
{
    header(out, program, command);
    (void)fputs(".SH SYNOPSIS\n\\fB", out);
    characters(out, program->name);
    (void)fputc(' ', out);
    characters(out, command->name);
    (void)fputs("\\fR\n", out);
    text(out, command->synopsis);
    (void)fputs(".SH DESCRIPTION\n", out);
    text(out, command->description);
    options(out, command);
    if (command->word)
        words(out, command);
    (void)fputs(".SH EXAMPLES\n", out);
    for (const struct example *example = command->examples; example->line; example++)
        entry(out, example->line, example->why);
    (void)fputs(".SH EXIT STATUS\n", out);
    text(out, command->exit_status);
    (void)fputs(".SH SEE ALSO\n.BR ", out);
    characters(out, program->name);
    (void)fputs(" (1)\n", out);
}

static void program_page(FILE *out, const struct program *program)
{
    header(out, program, NULL);
    (void)fputs(".SH SYNOPSIS\n", out);
    bold(out, "", program->name);
    (void)fputs("\n\\fICOMMAND\\fR [options] ...\n.br\n", out);
    bold(out, "", program->name);
    (void)fputs("\n\\-\\-help | \\-\\-version | help \\fICOMMAND\\fR\n.SH DESCRIPTION\n", out);
    text(out, program->about);
    (void)fputs(".SH COMMANDS\n", out);
    for (const struct command *const *command = program->commands; *command; command++)
        entry(out, (*command)->name, (*command)->summary);
    (void)fputs(".SH EXIT STATUS\n", out);
    text(out, program->exit_status);
    (void)fputs(".SH SEE ALSO\n.BR ", out);
    characters(out, program->related);
    (void)fputs(" (1),\n", out);
    for (const struct command *const *command = program->commands; *command; command++) {
        (void)fputs(".BR ", out);
        characters(out, program->name);
        (void)fprintf(out, "\\-%s (1)%s\n", (*command)->name, command[1] ? "," : "");
    }
}

void man_page(FILE *out, const struct program *program, const struct command *command)
{
    if (command)
        command_page(out, program, command);
    else
        program_page(out, program);
}
