/* SPDX-License-Identifier: MIT */
/*
 * The parser: -x, -xyz, -xVALUE, -x VALUE, --name, --name=VALUE, --name VALUE, and -- before operands
 * that begin with a dash. Options and operands may be mixed; of an option given twice the last counts, unless who reads
 * it asks for all of them.
 */
#include "args.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "spelling.h"
#include "ultrafilter.h"

const struct option option_help = {'h', "help", VALUE_NONE, NULL, "Show this help."};

struct parser {
    const struct program *program;
    const struct command *command;
    struct args *args;
    char **next; /* the word after the one in hand */
};

static int usage_error(const struct parser *parser, const char *what, const char *word, const char *hint)
{
    return print_error("%s %s%s%s%s; see '%s %s --help'", what, word, hint ? " (did you mean " : "", hint ? hint : "",
                       hint ? "?)" : "", parser->program->name, parser->command->name);
}

/* ---- numbers ---- */

/* What may follow a number: a power of ten, to be written behind it, or a power of two to multiply it by. */
static const struct {
    const char *name, *power;
    double times;
} suffixes[] = {{"", "", 0},        {"k", "e3", 0},     {"K", "e3", 0},    {"M", "e6", 0},
                {"G", "e9", 0},     {"T", "e12", 0},    {"%", "e-2", 0},   {"Ki", "", 0x1p10},
                {"Mi", "", 0x1p20}, {"Gi", "", 0x1p30}, {"Ti", "", 0x1p40}};

/* Writes the number as everyone reads it: 10M as 10e6, exactly. 0 when it is none. */
static int read_number(const char *text, char out[32])
{
    size_t digits = strspn(text, "0123456789.eE+-");
    double value;
    char *end;
    if (!digits || text[0] == '-' || digits > 26)
        return 0;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        if (strcmp(text + digits, suffixes[i].name) != 0)
            continue;
        if (i && strcspn(text, "eE") < digits)
            return 0; /* 1e3k is a slip */
        (void)snprintf(out, 32, "%.*s%s", (int)digits, text, suffixes[i].power);
        value = strtod(out, &end);
        if (*end || !isfinite(value))
            return 0;
        if (suffixes[i].times > 0)
            (void)snprintf(out, 32, "%.17g", value * suffixes[i].times);
        return 1;
    }
    return 0;
}

/* ---- options of a command ---- */

/* Where the command lists the option; MOST_OPTIONS when it does not. */
static size_t index_of(const struct command *command, const struct option *option)
{
    for (size_t i = 0; i < MOST_OPTIONS && command->options[i]; i++)
        if (command->options[i] == option)
            return i;
    return MOST_OPTIONS;
}

static const struct option *find_long(const struct command *command, const char *name, size_t length)
{
    for (const struct option *const *option = command->options; *option; option++)
        if (strlen((*option)->name) == length && !strncmp((*option)->name, name, length))
            return *option;
    return length == 4 && !strncmp(name, "help", 4) ? &option_help : NULL;
}

static const struct option *find_letter(const struct command *command, char letter)
{
    for (const struct option *const *option = command->options; *option; option++)
        if ((*option)->letter == letter)
            return *option;
    return letter == 'h' ? &option_help : NULL;
}

static void set_value(struct args *args, const struct option *option, const char *value, bool spelled_out)
{
    size_t index = index_of(args->command, option);
    args->help |= option == &option_help;
    if (index == MOST_OPTIONS)
        return;
    if (option->type != VALUE_NONE)
        args->given[args->givens++] = (struct given){option, value};
    args->value[index] = value;
    if (option->type == VALUE_NUMBER && read_number(value, args->number[index]) &&
        value[strspn(value, "0123456789.eE+-")])
        args->value[index] = args->number[index];
    args->spelled_out[index] = spelled_out;
}

/* ---- values ---- */

static const char *choice_word(const char *words, size_t index, char buffer[static 32])
{
    for (; index; index--) {
        words = strchr(words, '|');
        if (!words)
            return NULL;
        words++;
    }
    (void)snprintf(buffer, 32, "%.*s", (int)strcspn(words, "|"), words);
    return buffer;
}

const char *option_word(const struct option *option, size_t index, char buffer[static 32])
{
    if (option->type == VALUE_KIND)
        return uf_kind_name(index);
    return option->type == VALUE_CHOICE ? choice_word(option->value, index, buffer) : NULL;
}

static int is_word_of(const struct option *option, const char *text)
{
    char buffer[32];
    const char *word;
    for (size_t i = 0; (word = option_word(option, i, buffer)); i++)
        if (!strcmp(word, text))
            return 1;
    return 0;
}

static int bad_word(const struct option *option, const char *label, const char *text)
{
    char list[160] = "", buffer[32];
    const char *word;
    for (size_t i = 0; (word = option_word(option, i, buffer)); i++) {
        if (strlen(list) + strlen(word) + 3 > sizeof list)
            break;
        strcat(strcat(list, i ? ", " : ""), word);
    }
    return print_error("%s %s: not one of %s", label, text, list);
}

static int check_value(const struct option *option, const char *label, const char *text, char number[32])
{
    switch (option->type) {
    case VALUE_NUMBER:
        return read_number(text, number)
                   ? EXIT_FINE
                   : print_error("%s %s: not a number from 0 up; write 1000000, 1e6, 1M or 1Mi, and 0.01 or 1%%", label,
                                 text);
    case VALUE_CHOICE:
    case VALUE_KIND:
        return is_word_of(option, text) ? EXIT_FINE : bad_word(option, label, text);
    default:
        return text[0] || !value_is_path(option->type) ? EXIT_FINE : print_error("%s: the file name is empty", label);
    }
}

/* ---- words ---- */

static struct option_label label_of(const struct option *option, bool spelled_out)
{
    struct option_label label;
    if (option->letter && !spelled_out)
        (void)snprintf(label.text, sizeof label.text, "-%c", option->letter);
    else
        (void)snprintf(label.text, sizeof label.text, "--%s", option->name);
    return label;
}

/* Takes the option's value from `attached`, or else from the next word. */
static int take_option(struct parser *parser, const struct option *option, const char *attached, bool spelled_out)
{
    const struct option_label label = label_of(option, spelled_out);
    const char *value = "";
    char number[32];
    if (option->type != VALUE_NONE) {
        value = attached ? attached : *parser->next;
        if (!value)
            return print_error("%s needs a value: %s %s", label.text, label.text, option->value);
        parser->next += !attached;
        if (check_value(option, label.text, value, number))
            return EXIT_ERROR;
    }
    set_value(parser->args, option, value, spelled_out);
    return EXIT_FINE;
}

static int unknown_long(const struct parser *parser, const char *word, size_t length)
{
    char typed[64], hint[64];
    size_t kept = length - 2 < sizeof typed - 1 ? length - 2 : sizeof typed - 1;
    memcpy(typed, word + 2, kept);
    typed[kept] = 0;
    for (const struct moved *moved = parser->command->moved; moved && moved->name; moved++)
        if (!strcmp(typed, moved->name))
            return print_error("--%s is not an option of %s any more: use '%s'", typed, parser->command->name,
                               moved->to);
    struct suggestion near = {typed, NULL, 0};
    for (const struct option *const *option = parser->command->options; *option; option++)
        suggestion_consider(&near, (*option)->name);
    suggestion_consider(&near, "help");
    if (near.best)
        strncat(strcpy(hint, "--"), near.best, sizeof hint - 3);
    return usage_error(parser, "unknown option", word, near.best ? hint : NULL);
}

static int take_long(struct parser *parser, const char *word)
{
    size_t length = strcspn(word, "=");
    const char *attached = word[length] ? word + length + 1 : NULL;
    const struct option *option = find_long(parser->command, word + 2, length - 2);
    if (!option)
        return unknown_long(parser, word, length);
    if (attached && option->type == VALUE_NONE)
        return print_error("--%s takes no value, but %s gives one", option->name, word);
    return take_option(parser, option, attached, true);
}

static int take_letters(struct parser *parser, const char *word)
{
    for (const char *letter = word + 1; *letter; letter++) {
        const struct option *option = find_letter(parser->command, *letter);
        if (!option)
            return usage_error(parser, "unknown option", (char[]){'-', *letter, 0}, NULL);
        if (option->type != VALUE_NONE)
            return take_option(parser, option, letter[1] ? letter + 1 : NULL, false);
        set_value(parser->args, option, "", false);
    }
    return EXIT_FINE;
}

static int check_operands(const struct parser *parser)
{
    const struct command *command = parser->command;
    const struct args *args = parser->args;
    if (args->help)
        return EXIT_FINE;
    if (args->operands > command->most)
        return print_error("one %s too many: %s; see '%s %s --help'", command->operand ? command->operand : "file",
                           args->operand[command->most], parser->program->name, command->name);
    const char *noun = command->operand ? command->operand : "file name";
    if (args->operands < command->least)
        return print_error("%s %s is missing: %s %s %s", strchr("aeiou", noun[0]) ? "an" : "a", noun,
                           parser->program->name, command->name, command->synopsis);
    return EXIT_FINE;
}

/* One for each word is enough: a word has at most one option with a value. */
static int reserve_given(struct args *args, char **words)
{
    size_t count = 1;
    while (words[count - 1])
        count++;
    args->given = calloc(count, sizeof *args->given);
    return args->given ? EXIT_FINE : print_error("no memory for %zu words", count);
}

int args_parse(const struct program *program, const struct command *command, char **words, struct args *out)
{
    struct parser parser = {program, command, out, words};
    bool options = true;
    *out = (struct args){.program = program, .command = command, .operand = words};
    if (reserve_given(out, words))
        return EXIT_ERROR;
    while (*parser.next) {
        char *word = *parser.next++;
        int status = EXIT_FINE;
        if (options && !strcmp(word, "--"))
            options = false;
        else if (!options || word[0] != '-' || !word[1])
            words[out->operands++] = word; /* never past the word in hand */
        else
            status = word[1] == '-' ? take_long(&parser, word) : take_letters(&parser, word);
        if (status)
            return status;
    }
    return check_operands(&parser);
}

/* ---- what was given ---- */

const char *args_value(const struct args *args, const struct option *option)
{
    size_t index = index_of(args->command, option);
    return index < MOST_OPTIONS ? args->value[index] : NULL;
}

const char *args_next(const struct args *args, const struct option *option, size_t *at)
{
    while (*at < args->givens) {
        const struct given *given = &args->given[(*at)++];
        if (given->option == option)
            return given->value;
    }
    return NULL;
}

void args_free(struct args *args)
{
    free(args->given);
    args->given = NULL;
    args->givens = 0;
}

bool args_has(const struct args *args, const struct option *option)
{
    return args_value(args, option) != NULL;
}

bool args_takes(const struct args *args, const struct option *option)
{
    return index_of(args->command, option) < MOST_OPTIONS;
}

const char *args_operand(const struct args *args, size_t index)
{
    return index < args->operands ? args->operand[index] : "-";
}

struct option_label args_label(const struct args *args, const struct option *option)
{
    size_t index = index_of(args->command, option);
    return label_of(option, index < MOST_OPTIONS && args->spelled_out[index]);
}

int args_exclusive(const struct args *args, const struct option *one, const struct option *other)
{
    if (!args_has(args, one) || !args_has(args, other))
        return EXIT_FINE;
    return print_error("%s and %s contradict each other; give one of them", args_label(args, one).text,
                       args_label(args, other).text);
}

int args_require(const struct args *args, const struct option *option)
{
    if (args_has(args, option))
        return EXIT_FINE;
    return print_error("%s %s is missing; see '%s %s --help'", args_label(args, option).text, option->value,
                       args->program->name, args->command->name);
}
