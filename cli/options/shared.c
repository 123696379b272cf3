/* SPDX-License-Identifier: MIT */
#include "shared.h"

const struct option option_output = {
    'o', "output", VALUE_TO_FILTER, "FILE",
    "Write the filter to FILE: all of it, or nothing. - is standard output, and what is "
    "reported then goes to stderr."};
const struct option option_overwrite = {
    0, "overwrite", VALUE_NONE, NULL,
    "Write over a file that is read, or that is something else. Never over a master key or a ledger."};
const struct option option_spec = {0, "spec", VALUE_TEXT, "SPEC",
                                   "Everything in one text, such as ribbon:n=1e6,fpr=0.001."};
const struct option option_kind = {0, "kind", VALUE_KIND, "KIND", "The kind of filter."};
const struct option option_capacity = {'n', "capacity", VALUE_NUMBER, "N",
                                       "The number of keys to plan for: 1000000, 1e6 or 1M."};
const struct option option_fpr = {
    'p', "fpr", VALUE_NUMBER, "P",
    "The false-positive rate at N keys, such as 0.01 or 1%. It is 0.001 when no size is given either."};
const struct option option_bits = {0, "bits", VALUE_NUMBER, "M", "The size of the filter in bits."};
const struct option option_bits_per_key = {0, "bits-per-key", VALUE_NUMBER, "B",
                                           "The size of the filter in bits per key."};
const struct option option_epsilon = {
    0, "epsilon", VALUE_TEXT, "E",
    "The promise per key, 0.05 to 20: the file changes the odds that a key is in the set by at most a factor e^E."};
const struct option option_prefer = {
    0, "prefer", VALUE_CHOICE, "small|fast|accurate",
    "What matters most in a dpset: the fewest bits, at up to twice the time to build; the least time; or the fewest "
    "errors, within half a percent of the limit. Without it, size and time are weighed, and errors are within 2 %."};
const struct option option_universe_size = {0, "universe-size", VALUE_NUMBER, "U",
                                            "How many keys there could be, where all of them can be listed."};
const struct option option_positives = {0, "positives", VALUE_FILE, "KEYS", "The keys of the set."};
const struct option option_negatives = {0, "negatives", VALUE_FILE, "KEYS",
                                        "Keys that will be asked for and are not in the set, to train on."};
const struct option option_valid = {
    0, "valid", VALUE_FILE, "KEYS",
    "More of those, which the model is not trained on, each counted once: what is promised is measured with them."};
const struct option option_children = {0, "children", VALUE_CHOICE, "ribbon|bloom|blocked",
                                       "The kind of the filters inside a learned one. Default: ribbon, the smallest."};
const struct option option_full = {0, "full", VALUE_CHOICE, "refuse|warn|scale",
                                   "What to do about more keys than planned: refuse them, take them with a warning, or "
                                   "grow (bloom and blocked). Default: refuse with --key-file, otherwise warn."};
const struct option option_window = {
    0, "window", VALUE_NUMBER, "G",
    "Keys expire: G generations (2 to 32) of N keys each, of which 'rotate' drops the oldest (bloom and blocked)."};
const struct option option_model = {0, "model", VALUE_FILE, "M.ufm", "Learned kinds: the model, made by train."};
const struct option option_scores = {
    0, "scores", VALUE_FILE, "FILE",
    "Learned kinds: scores of your own instead of a model, one number a line, in the order of the keys."};
const struct option option_valid_scores = {0, "valid-scores", VALUE_FILE, "FILE",
                                           "The same for the negatives of --valid."};
const struct option option_regions = {
    0, "regions", VALUE_NUMBER, "R",
    "Kinds partition and robust: ranges of scores with a filter each, at most R, 2 to 16. Default: 8."};
const struct option option_adversarial_share = {0, "adversarial-share", VALUE_NUMBER, "A",
                                                "Kinds downtown and robust: the share of queries, 0 to 1, that may be "
                                                "chosen by an adversary while the rate still holds. Default: 0.05."};
const struct option option_force = {0, "force", VALUE_NONE, NULL,
                                    "Learned kinds: build one even when a plain filter is smaller."};
const struct option option_key = {
    'e', "key", VALUE_KEY, "KEY",
    "A key itself, as a line of a file would have it; give -e again for each further one. "
    "Standard input is then not read."};
const struct option option_new = {
    0, "new", VALUE_NONE, NULL,
    "Print the keys that were not in the filter before, instead of the line about the result."};
const struct option option_null = {'0', "null", VALUE_NONE, NULL,
                                   "Keys end with a NUL byte instead of a newline, in and out."};
const struct option option_crlf = {0, "crlf", VALUE_CHOICE, "strip|keep",
                                   "A carriage return before a newline: no part of the key, or part of it. Default: "
                                   "strip, with a warning."};
const struct option option_bom = {0, "bom", VALUE_CHOICE, "strip|keep",
                                  "The same for a byte order mark at the start of a file."};
const struct option option_field = {
    0, "field", VALUE_NUMBER, "N",
    "The key is the N-th field of a line, from 1. Fields may be quoted, as in CSV (RFC 4180)."};
const struct option option_column = {0, "column", VALUE_TEXT, "NAME",
                                     "The key is the field of this name; the first line of each file has the names."};
const struct option option_delimiter = {
    0, "delimiter", VALUE_TEXT, "C", "What stands between fields: one character, or the word tab. Default: a comma."};
const struct option option_hex = {0, "hex", VALUE_NONE, NULL, "Keys are written in hexadecimal."};
const struct option option_base64 = {0, "base64", VALUE_NONE, NULL, "Keys are written in base64."};
const struct option option_binary = {0, "binary", VALUE_NUMBER, "WIDTH",
                                     "Keys are of WIDTH bytes each, with nothing between them."};
const struct option option_raw = {0, "raw", VALUE_NONE, NULL,
                                  "Every byte is what it is: nothing is unpacked or stripped, and no file is refused "
                                  "for what it looks like."};
const struct option option_lowercase = {0, "lowercase", VALUE_NONE, NULL,
                                        "Make the letters A to Z of all keys small. The file says so: keys that it is "
                                        "asked for are treated alike."};
const struct option option_trim = {0, "trim", VALUE_NONE, NULL,
                                   "Leave out spaces, tabs and line ends around keys. The file says so."};
const struct option option_threads = {'j', "threads", VALUE_NUMBER, "T",
                                      "Use T threads. Default: one for each processor, at most 64."};
const struct option option_format = {
    0, "format", VALUE_CHOICE, "uf|dcso",
    "The format to write. Files that are read are recognised. Default: uf; insert and remove keep the file's."};
const struct option option_format_read = {0, "format", VALUE_CHOICE, "uf|dcso",
                                          "Not needed any more: a file is recognised by how it begins."};
const struct option option_key_file = {
    0, "key-file", VALUE_FILE, "KEYFILE",
    "The master key, made by keygen. /dev/fd/N reads it from a descriptor, such as a pipe's. query, insert, remove, "
    "merge and info take several, and each filter the one that it was made with."};
const struct option option_label = {0, "label", VALUE_TEXT, "NAME",
                                    "The name of this release, for --key-file: the same label, set and parameters give "
                                    "the same bytes again. Take a new "
                                    "one for every release; one that is used again for a changed set shows that it "
                                    "changed. Up to 63 visible characters "
                                    "without a space."};
const struct option option_prf = {
    0, "prf", VALUE_CHOICE, "siphash|aes",
    "How a keyed filter hashes. Default: siphash; aes is faster where the processor helps."};
const struct option option_verify_key = {
    0, "verify-key", VALUE_FILE, "PUB",
    "Refuse a filter that the owner of this verify key has not signed, or that was altered since."};
const struct option option_signature = {0, "signature", VALUE_FILE, "SIG",
                                        "Where the signature is. Default: F.uf.sig."};
const struct option option_signed_name = {0, "name", VALUE_TEXT, "NAME",
                                          "Refuse a filter that was not signed under this name."};
const struct option option_least_serial = {0, "min-serial", VALUE_NUMBER, "N",
                                           "Refuse a filter that was signed without a serial, or with one below N."};
const struct option option_last_serial = {
    0, "last", VALUE_FILE, "FILE",
    "Refuse a filter with a lower serial than the last one that was accepted with this FILE, which keeps it."};
const struct option option_quiet = {'q', "quiet", VALUE_NONE, NULL, "Do not print the line about the result."};
const struct option option_json = {0, "json", VALUE_NONE, NULL, "Print the result as JSON."};
const struct option option_progress = {
    0, "progress", VALUE_CHOICE, "auto|always|never",
    "Show progress on stderr. Default: auto, on a terminal when the work lasts over a second."};
