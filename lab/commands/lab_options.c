/* SPDX-License-Identifier: MIT */
#include "lab_options.h"

const struct option option_trials = {
    0, "trials", VALUE_NUMBER, "N",
    "How many filters in each of two worlds, or games. Default: 20000, or 100000 games of release."};
const struct option option_seed = {
    0, "seed", VALUE_TEXT, "S",
    "The same run for the same S, for tests and experiments. Default: the system's randomness; 1 for reproduce."};
const struct option option_design_fpr = {'p', "fpr", VALUE_NUMBER, "P",
                                         "The rate that the filters are planned for. Default: 0.01."};
const struct option option_plain_kind = {
    0, "kind", VALUE_CHOICE, "blocked|bloom",
    "The kind of our filters, or of those inside learned ones. Default: blocked; bloom inside."};
