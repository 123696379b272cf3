/* SPDX-License-Identifier: MIT */
/* Every option of every command, once. */
#include "args.h"

#include <stdio.h>
#include <string.h>

#include "ultrafilter.h"

const struct option option_table[OPT_TOTAL] = {
    [OPT_OUTPUT] = {'o', "output", VALUE_FILE, "FILE", "Write the filter to FILE: all of it, or nothing."},
    [OPT_SPEC] = {0, "spec", VALUE_TEXT, "SPEC", "Everything in one text, such as ribbon:n=1e6,fpr=0.001."},
    [OPT_KIND] = {0, "kind", VALUE_KIND, "KIND", "The kind of filter."},
    [OPT_CAPACITY] = {'n', "capacity", VALUE_NUMBER, "N", "The number of keys to plan for: 1000000 or 1e6."},
    [OPT_FPR] = {'p', "fpr", VALUE_NUMBER, "P",
                 "The false-positive rate at N keys, such as 0.01. It is 0.001 when no size is given either."},
    [OPT_BITS] = {0, "bits", VALUE_NUMBER, "M", "The size of the filter in bits."},
    [OPT_BITS_PER_KEY] = {0, "bits-per-key", VALUE_NUMBER, "B", "The size of the filter in bits per key."},
    [OPT_EPSILON] = {0, "epsilon", VALUE_TEXT, "E",
                     "The promise per key, 0.05 to 20: the file changes the odds that a key is in the set by at most a "
                     "factor e^E."},
    [OPT_UNIVERSE_SIZE] = {0, "universe-size", VALUE_NUMBER, "U",
                           "How many keys there could be, where all of them can be listed."},
    [OPT_UNIVERSE] = {0, "universe", VALUE_TEXT, "U",
                      "All keys there could be: range:1-1000000, ipv4:10.0.0.0/8, digits:10, or file:KEYS. Needed by "
                      "dime and nickel."},
    [OPT_MECHANISM] = {0, "mechanism", VALUE_CHOICE, "dpset|ultra|dime|nickel|published",
                       "How the set is hidden. Default: dpset, which no other beats; ultra for an exact filter."},
    [OPT_RELEASE] = {0, "mechanism", VALUE_CHOICE, "dime|nickel",
                     "A release of the set itself, with --epsilon, instead of a filter."},
    [OPT_TRIALS] = {0, "trials", VALUE_NUMBER, "N",
                    "How many filters in each of two worlds, or games. Default: 20000, or 100000 games of release."},
    [OPT_CANARIES] = {0, "canaries", VALUE_NUMBER, "C", "One run with C canaries instead of two worlds."},
    [OPT_BASE] = {'n', "base", VALUE_NUMBER, "N", "Other keys that are in the set in any case. Default: none."},
    [OPT_CLAIM] = {0, "claim", VALUE_NUMBER, "E", "The epsilon to hold it against. Default: what it claims itself."},
    [OPT_SEED] = {0, "seed", VALUE_TEXT, "S",
                  "The same run for the same S, for tests and experiments. Default: the system's randomness; 1 for "
                  "reproduce."},
    [OPT_FOLDER] = {0, "out", VALUE_FILE, "DIR", "The folder for tables and figures; made when it is not there."},
    [OPT_DATA_ONLY] = {0, "data-only", VALUE_NONE, NULL, "No figures; gnuplot is then not needed."},
    [OPT_SCALE] =
        {'n', "keys", VALUE_NUMBER, "N",
         "Keys in the UltraFilter paper's experiment, and at most in the Bodega paper's. Default: 1048576. Fewer are "
         "quicker, with wider tolerances."},
    [OPT_DATA] =
        {0, "data", VALUE_FILE, "DIR",
         "Keys for the Bodega experiment: pos.txt, neg_train.txt, neg_valid.txt and neg_test.txt in the folder "
         "DIR. Default: French and English words of Debian's word lists."},
    [OPT_LIKE] = {0, "like", VALUE_FILE, "FILE",
                  "Take every parameter, the seed included, from this filter, so that the two can be merged."},
    [OPT_OLD] = {0, "like", VALUE_FILE, "OLD.uf", "Take kind and parameters from this filter, but not its seed."},
    [OPT_MODEL_OUTPUT] = {'o', "output", VALUE_FILE, "FILE", "Write the model to FILE: all of it, or nothing."},
    [OPT_POSITIVES] = {0, "positives", VALUE_FILE, "KEYS", "The keys of the set."},
    [OPT_NEGATIVES] = {0, "negatives", VALUE_FILE, "KEYS",
                       "Keys that will be asked for and are not in the set, to train on."},
    [OPT_VALID] = {0, "valid", VALUE_FILE, "KEYS",
                   "More of those, which the model is not trained on: what is promised is measured with them."},
    [OPT_MODEL_BUDGET] = {0, "budget", VALUE_NUMBER, "BYTES",
                          "The most that the model may take. Default: what makes model and filter together smallest."},
    [OPT_WEIGHT_BITS] = {0, "weight-bits", VALUE_CHOICE, "4|8", "Bits of a weight. Default: 4."},
    [OPT_MODEL_FPR] = {'p', "fpr", VALUE_NUMBER, "P",
                       "The false-positive rate of the filter that the model is for. Default: 0.01."},
    [OPT_CHILDREN] = {0, "children", VALUE_CHOICE, "ribbon|bloom|blocked",
                      "The kind of the filters inside a learned one. Default: ribbon, the smallest."},
    [OPT_FULL] = {0, "full", VALUE_CHOICE, "refuse|warn|scale",
                  "What to do about more keys than planned: refuse them, take them with a warning, or grow (bloom and "
                  "blocked). Default: refuse with --key-file, otherwise warn."},
    [OPT_TRAIN_SEED] = {0, "seed", VALUE_NUMBER, "N",
                        "Of the order of training, 0 to 2^53. The same seed gives the same model. Default: 1."},
    [OPT_MODEL] = {0, "model", VALUE_FILE, "M.ufm", "Learned kinds: the model, made by train."},
    [OPT_SCORES] =
        {0, "scores", VALUE_FILE, "FILE",
         "Learned kinds: scores of your own instead of a model, one number a line, in the order of the keys."},
    [OPT_VALID_SCORES] = {0, "valid-scores", VALUE_FILE, "FILE", "The same for the negatives of --valid."},
    [OPT_QUERY_SCORES] = {0, "scores", VALUE_FILE, "FILE",
                          "Scores of the keys, one number a line, for a filter that was built from scores."},
    [OPT_REGIONS] =
        {0, "regions", VALUE_NUMBER, "R",
         "Kinds partition and robust: ranges of scores with a filter each, at most R, 2 to 16. Default: 8."},
    [OPT_ADVERSARIAL_SHARE] =
        {0, "adversarial-share", VALUE_NUMBER, "A",
         "Kinds downtown and robust: the share of queries, 0 to 1, that may be chosen by an adversary while the rate "
         "still holds. Default: 0.05."},
    [OPT_FORCE] = {0, "force", VALUE_NONE, NULL, "Learned kinds: build one even when a plain filter is smaller."},
    [OPT_COUNT] = {'c', "count", VALUE_NONE, NULL, "Print how many keys were found instead of the keys."},
    [OPT_INVERT] = {'v', "invert", VALUE_NONE, NULL, "Select the keys that are not in the set."},
    [OPT_SILENT] = {'q', "quiet", VALUE_NONE, NULL, "Print nothing and stop at the first key selected."},
    [OPT_MMAP] = {0, "mmap", VALUE_NONE, NULL,
                  "Map the filter instead of reading it: answers start at once, checksums of the payload are not "
                  "checked, and the file must not be cut meanwhile."},
    [OPT_EARLY_EXIT] = {0, "early-exit", VALUE_NONE, NULL,
                        "Stop at the first zero bit of a key. Faster, but the time taken then tells where it was."},
    [OPT_NULL] = {'0', "null", VALUE_NONE, NULL, "Keys end with a NUL byte instead of a newline, in and out."},
    [OPT_THREADS] = {'j', "threads", VALUE_NUMBER, "T", "Use T threads. Default: one for each processor, at most 64."},
    [OPT_FORMAT] = {0, "format", VALUE_CHOICE, "uf|dcso", "The file format, read and written. Default: uf."},
    [OPT_IN_FORMAT] = {0, "in-format", VALUE_CHOICE, "uf|dcso", "The format of the files read. Default: uf."},
    [OPT_OUT_FORMAT] = {0, "out-format", VALUE_CHOICE, "uf|dcso", "The format of the file written. Default: uf."},
    [OPT_KEY_OUTPUT] = {'o', "output", VALUE_FILE, "KEYFILE",
                        "Write the new key to KEYFILE, which must not exist yet."},
    [OPT_KEY_FILE] = {0, "key-file", VALUE_FILE, "KEYFILE",
                      "The master key, made by keygen. /dev/fd/N reads it from a descriptor, such as a pipe's."},
    [OPT_PRF] = {0, "prf", VALUE_CHOICE, "siphash|aes",
                 "How a keyed filter hashes. Default: siphash; aes is faster where the processor helps."},
    [OPT_PUBLIC] = {0, "public", VALUE_NONE, NULL,
                    "Write the verify key of the master key that --key-file names. Everyone may have it."},
    [OPT_VERIFY_KEY] = {0, "verify-key", VALUE_FILE, "PUB",
                        "Refuse a filter that the owner of this verify key has not signed, or that was altered since."},
    [OPT_SIGNATURE] = {0, "signature", VALUE_FILE, "SIG", "Where the signature is. Default: F.uf.sig."},
    [OPT_SIGNATURE_OUTPUT] = {'o', "output", VALUE_FILE, "SIG", "Write the signature to SIG. Default: F.uf.sig."},
    [OPT_MAC] = {0, "mac", VALUE_NONE, NULL, "A keyed BLAKE2b for one's own files instead of a signature."},
    [OPT_NEED_MAC] = {0, "mac", VALUE_NONE, NULL,
                      "Refuse a filter that was not signed with the key of --key-file, or altered since."},
    [OPT_LEDGER] = {0, "ledger", VALUE_FILE, "FILE",
                    "Charge the release to this ledger first, and refuse it when the budget does not cover it."},
    [OPT_BUDGET] = {0, "budget", VALUE_NUMBER, "E",
                    "What all releases of the data set may spend together. Needed with the first one only."},
    [OPT_DATA_SET] = {0, "data-set", VALUE_TEXT, "NAME",
                      "The name of the data set in the ledger: up to 63 visible characters without a space."},
    [OPT_MEMBERS] = {'n', "members", VALUE_NUMBER, "N",
                     "The number of keys in the set. Default: 1000; 2000 in games 3 and 4, 100 in games of release."},
    [OPT_NO_NOISE] = {0, "no-noise", VALUE_NONE, NULL,
                      "The control: the set is handed out as it is, and the adversary must win every game."},
    [OPT_TARGET] = {0, "target", VALUE_CHOICE, "all|unkeyed|redis|keyed|learned|partition|downtown|robust",
                    "What to attack; the last four are for mutate. Default: all."},
    [OPT_PLAIN_KIND] = {0, "kind", VALUE_CHOICE, "blocked|bloom",
                        "The kind of our filters, or of those inside learned ones. Default: blocked; bloom inside."},
    [OPT_DESIGN_FPR] = {'p', "fpr", VALUE_NUMBER, "P", "The rate that the filters are planned for. Default: 0.01."},
    [OPT_ITEMS] = {0, "trials", VALUE_NUMBER, "T", "How many items are shown to the filter, where that can be chosen."},
    [OPT_PLOT] = {0, "plot", VALUE_FILE, "DIR",
                  "Draw what came out into DIR (pollution and mutate only; takes gnuplot)."},
    [OPT_GAME_TARGET] = {0, "target", VALUE_CHOICE, "keyed|unkeyed|redis|robust|downtown|partition|learned",
                         "What is played against: games 1 and 2 keyed, unkeyed or redis, games 3 and 4 all but the "
                         "latter two. Default: keyed; robust."},
    [OPT_QUERIES] = {0, "queries", VALUE_NUMBER, "Q", "Questions in a game, at most. Default: 1000."},
    [OPT_LEAK_KEY] = {0, "leak-key", VALUE_NONE, NULL,
                      "The control: the adversary gets the key, and must win 99 % of the games."},
    [OPT_HYBRID_SHARE] = {0, "adversarial-share", VALUE_NUMBER, "A",
                          "The share of the queries that an adversary chooses, 0 to 1."},
    [OPT_ORACLE_BYTES] = {0, "model-bytes", VALUE_NUMBER, "B",
                          "The size of the model. Default: 25900, that of Kraska et al. (2018)."},
    [OPT_ORACLE_FPR] = {0, "model-fpr", VALUE_NUMBER, "P",
                        "The share of other keys that the model takes for members. Default: 0.005."},
    [OPT_ORACLE_FNR] = {0, "model-fnr", VALUE_NUMBER, "P",
                        "The share of the members that the model does not take for members. Default: 0.55."},
    [OPT_QUIET] = {'q', "quiet", VALUE_NONE, NULL, "Do not print the line about the result."},
    [OPT_JSON] = {0, "json", VALUE_NONE, NULL, "Print the result as JSON."},
    [OPT_PROGRESS] = {0, "progress", VALUE_CHOICE, "auto|always|never",
                      "Show progress on stderr. Default: auto, on a terminal when the work lasts over a second."},
    [OPT_HELP] = {'h', "help", VALUE_NONE, NULL, "Show this help."},
};

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
