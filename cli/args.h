/* SPDX-License-Identifier: MIT */
/*
 * The command line as data. Every option is defined once, in options.c; a command lists the options
 * it takes. Parsing, --help, the man pages and the shell completions all read these tables, so none
 * of them can say something that another does not.
 */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_id {
    OPT_END, /* closes a command's list */
    OPT_OUTPUT,
    OPT_SPEC,
    OPT_KIND,
    OPT_CAPACITY,
    OPT_FPR,
    OPT_BITS,
    OPT_BITS_PER_KEY,
    OPT_EPSILON,
    OPT_UNIVERSE_SIZE,
    OPT_UNIVERSE,
    OPT_MECHANISM,
    OPT_RELEASE,
    OPT_TRIALS,
    OPT_CANARIES,
    OPT_BASE,
    OPT_CLAIM,
    OPT_SEED,
    OPT_FOLDER,
    OPT_DATA_ONLY,
    OPT_SCALE,
    OPT_DATA,
    OPT_LIKE,
    OPT_OLD,
    OPT_MODEL_OUTPUT,
    OPT_POSITIVES,
    OPT_NEGATIVES,
    OPT_VALID,
    OPT_MODEL_BUDGET,
    OPT_WEIGHT_BITS,
    OPT_MODEL_FPR,
    OPT_CHILDREN,
    OPT_FULL,
    OPT_TRAIN_SEED,
    OPT_MODEL,
    OPT_SCORES,
    OPT_VALID_SCORES,
    OPT_QUERY_SCORES,
    OPT_REGIONS,
    OPT_ADVERSARIAL_SHARE,
    OPT_FORCE,
    OPT_COUNT,
    OPT_INVERT,
    OPT_SILENT,
    OPT_MMAP,
    OPT_EARLY_EXIT,
    OPT_NULL,
    OPT_THREADS,
    OPT_FORMAT,
    OPT_IN_FORMAT,
    OPT_OUT_FORMAT,
    OPT_KEY_OUTPUT,
    OPT_KEY_FILE,
    OPT_PRF,
    OPT_PUBLIC,
    OPT_VERIFY_KEY,
    OPT_SIGNATURE,
    OPT_SIGNATURE_OUTPUT,
    OPT_MAC,
    OPT_NEED_MAC,
    OPT_LEDGER,
    OPT_BUDGET,
    OPT_DATA_SET,
    OPT_MEMBERS,
    OPT_NO_NOISE,
    OPT_TARGET,
    OPT_PLAIN_KIND,
    OPT_DESIGN_FPR,
    OPT_ITEMS,
    OPT_PLOT,
    OPT_GAME_TARGET,
    OPT_QUERIES,
    OPT_LEAK_KEY,
    OPT_HYBRID_SHARE,
    OPT_ORACLE_BYTES,
    OPT_ORACLE_FPR,
    OPT_ORACLE_FNR,
    OPT_QUIET,
    OPT_JSON,
    OPT_PROGRESS,
    OPT_HELP,
    OPT_TOTAL
};

enum value_type {
    VALUE_NONE,   /* a flag */
    VALUE_TEXT,   /* checked by whoever uses it */
    VALUE_FILE,   /* a path: shells complete it */
    VALUE_NUMBER, /* finite, not negative: 1000000, 0.01 or 1e6 */
    VALUE_CHOICE, /* one of the words that `value` shows, "uf|dcso" */
    VALUE_KIND    /* one of the library's kinds */
};

struct option {
    char letter; /* 0: long form only */
    const char *name;
    enum value_type type;
    const char *value; /* the value's name in help, or the words of a choice */
    const char *help;
};

struct example {
    const char *line, *why;
};

struct args {
    const struct command *command;
    const char *value[OPT_TOTAL]; /* NULL: not given; "" for a flag that is */
    bool spelled_out[OPT_TOTAL];  /* given as --name: errors repeat what was typed */
    char **operand;               /* in argv */
    size_t operands;
};

struct command {
    const char *name;
    const char *synopsis;    /* what follows the name */
    const char *summary;     /* one line */
    const char *description; /* paragraphs, an empty line between two */
    const enum option_id *options;
    const struct example *examples;
    const char *exit_status;
    size_t least, most;  /* operands */
    const char *operand; /* what they are, "game"; NULL: files */
    /* The words that the first one may be, each with a line about it; NULL past the last. NULL: anything. */
    const char *(*word)(size_t index, const char **about);
    int (*run)(const struct args *args);
};

extern const struct option option_table[OPT_TOTAL];
extern const struct command *const command_table[]; /* closed by NULL */

/* Reads what follows the command's name, NULL-terminated as argv is. Returns EXIT_FINE or, after a
 * message, EXIT_ERROR. Frees nothing: operands are collected inside `words` itself. */
int args_parse(const struct command *command, char **words, struct args *out);

static inline bool args_has(const struct args *args, enum option_id id)
{
    return args->value[id] != NULL;
}

/* The option as it was typed, or would be: "-n" or "--capacity". */
struct option_label {
    char text[32];
};
struct option_label args_label(const struct args *args, enum option_id id);

/* An error that names both when both were given. */
int args_exclusive(const struct args *args, enum option_id one, enum option_id other);

/* An error that names the option when it was not given. */
int args_require(const struct args *args, enum option_id id);

/* The i-th word of a choice or kind, NULL past the last; `buffer` may hold it. */
const char *option_word(const struct option *option, size_t index, char buffer[static 32]);

/* A whole number, 1e6 for example, within bounds; `out` stays as it is when the option was not given. */
int args_count(const struct args *args, enum option_id id, uint64_t least, uint64_t most, uint64_t *out);

/* --seed, decimal or 0x and hexadecimal; `out` stays as it is when it was not given. */
int args_seed(const struct args *args, uint64_t *out);

/* The number of threads: -j, or one for each processor this process may use. 0 after a message. */
unsigned args_threads(const struct args *args);

#endif
