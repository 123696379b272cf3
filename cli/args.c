/* SPDX-License-Identifier: MIT */
/*
 * The parser: -x, -xyz, -xVALUE, -x VALUE, --name, --name=VALUE, --name VALUE, and -- before operands
 * that begin with a dash. Options and operands may be mixed; of an option given twice the last counts.
 */
#include "args.h"

#include <errno.h>
#include <math.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guess.h"
#include "say.h"

enum { MOST_THREADS = 256, DEFAULT_THREADS = 64 };

struct parser {
    const struct command *command;
    struct args *args;
    char **next; /* the word after the one in hand */
};

static int usage_error(const struct command *command, const char *what, const char *word, const char *hint)
{
    return say_error("%s %s%s%s%s; see 'ultrafilter %s --help'", what, word, hint ? " (did you mean " : "",
                     hint ? hint : "", hint ? "?)" : "", command->name);
}

static enum option_id find_long(const struct command *command, const char *name, size_t length)
{
    for (const enum option_id *id = command->options; *id != OPT_END; id++)
        if (strlen(option_table[*id].name) == length && !strncmp(option_table[*id].name, name, length))
            return *id;
    return length == 4 && !strncmp(name, "help", 4) ? OPT_HELP : OPT_END;
}

static enum option_id find_letter(const struct command *command, char letter)
{
    for (const enum option_id *id = command->options; *id != OPT_END; id++)
        if (option_table[*id].letter == letter)
            return *id;
    return letter == 'h' ? OPT_HELP : OPT_END;
}

static int is_number(const char *text)
{
    if (!text[0] || text[strspn(text, "0123456789.eE+-")] || text[0] == '-')
        return 0;
    char *end;
    double value = strtod(text, &end);
    return !*end && isfinite(value);
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
    return say_error("%s %s: not one of %s", label, text, list);
}

static int check_value(const struct option *option, const char *label, const char *text)
{
    switch (option->type) {
    case VALUE_NUMBER:
        return is_number(text) ? EXIT_FINE
                               : say_error("%s %s: not a number from 0 up; write 1000000, 0.01 or 1e6", label, text);
    case VALUE_CHOICE:
    case VALUE_KIND:
        return is_word_of(option, text) ? EXIT_FINE : bad_word(option, label, text);
    case VALUE_FILE:
        return text[0] ? EXIT_FINE : say_error("%s: the file name is empty", label);
    default:
        return EXIT_FINE;
    }
}

/* Takes the option's value from `attached`, or else from the next word. */
static int take_option(struct parser *parser, enum option_id id, const char *attached)
{
    const struct option *option = &option_table[id];
    const struct option_label label = args_label(parser->args, id);
    const char *value = "";
    if (option->type != VALUE_NONE) {
        value = attached ? attached : *parser->next;
        if (!value)
            return say_error("%s needs a value: %s %s", label.text, label.text, option->value);
        parser->next += !attached;
        if (check_value(option, label.text, value))
            return EXIT_ERROR;
    }
    parser->args->value[id] = value;
    return EXIT_FINE;
}

static int unknown_long(const struct command *command, const char *word, size_t length)
{
    char typed[64], hint[64];
    size_t kept = length - 2 < sizeof typed - 1 ? length - 2 : sizeof typed - 1;
    memcpy(typed, word + 2, kept);
    typed[kept] = 0;
    struct guess guess = {typed, NULL, 0};
    for (const enum option_id *id = command->options; *id != OPT_END; id++)
        guess_consider(&guess, option_table[*id].name);
    guess_consider(&guess, "help");
    if (guess.best)
        strncat(strcpy(hint, "--"), guess.best, sizeof hint - 3);
    return usage_error(command, "unknown option", word, guess.best ? hint : NULL);
}

static int take_long(struct parser *parser, const char *word)
{
    size_t length = strcspn(word, "=");
    const char *attached = word[length] ? word + length + 1 : NULL;
    enum option_id id = find_long(parser->command, word + 2, length - 2);
    if (id == OPT_END)
        return unknown_long(parser->command, word, length);
    if (attached && option_table[id].type == VALUE_NONE)
        return say_error("--%s takes no value, but %s gives one", option_table[id].name, word);
    parser->args->spelled_out[id] = true;
    return take_option(parser, id, attached);
}

static int take_letters(struct parser *parser, const char *word)
{
    for (const char *letter = word + 1; *letter; letter++) {
        enum option_id id = find_letter(parser->command, *letter);
        if (id == OPT_END)
            return usage_error(parser->command, "unknown option", (char[]){'-', *letter, 0}, NULL);
        parser->args->spelled_out[id] = false;
        if (option_table[id].type != VALUE_NONE)
            return take_option(parser, id, letter[1] ? letter + 1 : NULL);
        parser->args->value[id] = "";
    }
    return EXIT_FINE;
}

static int check_operands(const struct command *command, const struct args *args)
{
    if (args_has(args, OPT_HELP))
        return EXIT_FINE;
    if (args->operands > command->most)
        return say_error("one %s too many: %s; see 'ultrafilter %s --help'",
                         command->operand ? command->operand : "file", args->operand[command->most], command->name);
    const char *noun = command->operand ? command->operand : "file name";
    if (args->operands < command->least)
        return say_error("%s %s is missing: ultrafilter %s %s", strchr("aeiou", noun[0]) ? "an" : "a", noun,
                         command->name, command->synopsis);
    return EXIT_FINE;
}

int args_parse(const struct command *command, char **words, struct args *out)
{
    struct parser parser = {command, out, words};
    bool options = true;
    *out = (struct args){.command = command, .operand = words};
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
    return check_operands(command, out);
}

struct option_label args_label(const struct args *args, enum option_id id)
{
    const struct option *option = &option_table[id];
    struct option_label label;
    if (option->letter && !args->spelled_out[id])
        (void)snprintf(label.text, sizeof label.text, "-%c", option->letter);
    else
        (void)snprintf(label.text, sizeof label.text, "--%s", option->name);
    return label;
}

int args_exclusive(const struct args *args, enum option_id one, enum option_id other)
{
    if (!args_has(args, one) || !args_has(args, other))
        return EXIT_FINE;
    return say_error("%s and %s contradict each other; give one of them", args_label(args, one).text,
                     args_label(args, other).text);
}

int args_require(const struct args *args, enum option_id id)
{
    if (args_has(args, id))
        return EXIT_FINE;
    return say_error("%s %s is missing; see 'ultrafilter %s --help'", args_label(args, id).text, option_table[id].value,
                     args->command->name);
}

int args_count(const struct args *args, enum option_id id, uint64_t least, uint64_t most, uint64_t *out)
{
    if (!args_has(args, id))
        return EXIT_FINE;
    double value = strtod(args->value[id], NULL);
    if (!(value >= (double)least && value <= (double)most && value == floor(value)))
        return say_error("%s %s: not a whole number from %llu to %llu", args_label(args, id).text, args->value[id],
                         (unsigned long long)least, (unsigned long long)most);
    *out = (uint64_t)value;
    return EXIT_FINE;
}

int args_seed(const struct args *args, uint64_t *out)
{
    const char *text = args->value[OPT_SEED];
    char *end;
    if (!text)
        return EXIT_FINE;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    if (text[0] < '0' || text[0] > '9' || *end || errno)
        return say_error("--seed %s: not a whole number below 2^64, such as 17 or 0x5eed", text);
    *out = value;
    return EXIT_FINE;
}

static unsigned processors(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set))
        return 1;
    int count = CPU_COUNT(&set);
    return count < 1 ? 1 : count > DEFAULT_THREADS ? DEFAULT_THREADS : (unsigned)count;
}

unsigned args_threads(const struct args *args)
{
    const char *text = args->value[OPT_THREADS];
    if (!text)
        return processors();
    double value = strtod(text, NULL);
    if (value >= 1 && value <= MOST_THREADS && value == floor(value))
        return (unsigned)value;
    (void)say_error("%s %s: not a whole number from 1 to %d", args_label(args, OPT_THREADS).text, text, MOST_THREADS);
    return 0;
}
