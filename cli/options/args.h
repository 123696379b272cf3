/* SPDX-License-Identifier: MIT */
/*
 * The command line as data. An option is a constant; a command lists those that it takes, its own beside those that
 * several commands share (shared.h). Parsing, --help, the man pages and the shell completions all read these tables,
 * so none of them can say something that another does not.
 */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>

enum value_type {
    VALUE_NONE,   /* a flag */
    VALUE_TEXT,   /* checked by whoever uses it */
    VALUE_KEY,    /* a key, whatever it looks like */
    VALUE_FILE,   /* a path that is read: shells complete it */
    VALUE_NUMBER, /* finite, not negative: 1000000, 0.01, 1e6, 10M or 1% */
    VALUE_CHOICE, /* one of the words that `value` shows, "uf|dcso" */
    VALUE_KIND,   /* one of the library's kinds */
    /* Paths that are written, by what is there afterwards: paths.h. Shells complete these, too. */
    VALUE_TO_FILTER,
    VALUE_TO_MODEL,
    VALUE_TO_SIGNATURE,
    VALUE_TO_VERIFY_KEY,
    VALUE_TO_KEY,
    VALUE_TO_LEDGER
};

static inline bool value_is_output(enum value_type type)
{
    return type >= VALUE_TO_FILTER;
}

static inline bool value_is_path(enum value_type type)
{
    return type == VALUE_FILE || value_is_output(type);
}

struct option {
    char letter; /* 0: long form only */
    const char *name;
    enum value_type type;
    const char *value; /* the value's name in help, or the words of a choice */
    const char *help;
};

extern const struct option option_help; /* which every command has */

struct example {
    const char *line, *why;
};

/* A command or an option that is elsewhere now: its name, and what to write instead. */
struct moved {
    const char *name, *to;
};

enum { MOST_OPTIONS = 64 }; /* of one command */

/* An option that was given, and its value as it was typed. */
struct given {
    const struct option *option;
    const char *value;
};

struct args {
    const struct program *program;
    const struct command *command;
    const char *value[MOST_OPTIONS]; /* as the command lists them. NULL: not given; "" for a flag that is */
    char number[MOST_OPTIONS][32];   /* what 10M stands for, 10e6 */
    bool spelled_out[MOST_OPTIONS];  /* given as --name: errors repeat what was typed */
    struct given *given;             /* all options with a value, in their order: args_next */
    size_t givens;
    bool help;      /* --help */
    char **operand; /* in argv */
    size_t operands;
};

struct command {
    const char *name;
    const char *synopsis;                /* what follows the name */
    const char *summary;                 /* one line */
    const char *description;             /* paragraphs, an empty line between two */
    const struct option *const *options; /* closed by NULL */
    const struct moved *moved;           /* options that it had once, closed by a NULL name; NULL: none */
    const struct example *examples;
    const char *exit_status;
    size_t least, most;  /* operands */
    const char *operand; /* what they are, "game"; NULL: files */
    bool in_place;       /* the first operand is changed */
    /* What the output may replace though it is read: the file of this option, the operands. */
    const struct option *over;
    bool over_operands;
    /* The words that the first one may be, each with a line about it; NULL past the last. NULL: anything. */
    const char *(*word)(size_t index, const char **about);
    int (*run)(const struct args *args);
};

struct program {
    const char *name;    /* as it is typed */
    const char *summary; /* one line */
    const char *about;   /* a paragraph */
    const char *example; /* lines: a first try */
    const char *exit_status;
    const char *related;                   /* the other program */
    const struct command *const *commands; /* closed by NULL */
    const struct moved *moved;             /* commands that it had once, closed by a NULL name; NULL: none */
    const struct moved *hints;             /* what people type first, and what it is called here; likewise */
};

/* Reads what follows the command's name, NULL-terminated as argv is. Returns EXIT_FINE or, after a
 * message, EXIT_ERROR. Operands are collected inside `words` itself; args_free gives back the rest, after an error,
 * too. */
int args_parse(const struct program *program, const struct command *command, char **words, struct args *out);
void args_free(struct args *args);

/* What was given: NULL when it was not, or when the command has no such option; "" for a flag. */
const char *args_value(const struct args *args, const struct option *option);
bool args_has(const struct args *args, const struct option *option);

/* Every value of an option that was given several times: the next one from *at on, which is 0 at first. NULL: no more.
 */
const char *args_next(const struct args *args, const struct option *option, size_t *at);

/* Whether the command has such an option. */
bool args_takes(const struct args *args, const struct option *option);

/* The operand at `index`, "-" when there are fewer. */
const char *args_operand(const struct args *args, size_t index);

/* The option as it was typed, or would be: "-n" or "--capacity". */
struct option_label {
    char text[32];
};
struct option_label args_label(const struct args *args, const struct option *option);

/* An error that names both when both were given. */
int args_exclusive(const struct args *args, const struct option *one, const struct option *other);

/* An error that names the option when it was not given. */
int args_require(const struct args *args, const struct option *option);

/* The i-th word of a choice or kind, NULL past the last; `buffer` may hold it. */
const char *option_word(const struct option *option, size_t index, char buffer[static 32]);

#endif
