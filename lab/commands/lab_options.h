/* SPDX-License-Identifier: MIT */
/* Options that several commands of the lab take. */
#ifndef LAB_OPTIONS_H
#define LAB_OPTIONS_H

#include "shared.h"

extern const struct option option_trials, option_seed, option_design_fpr, option_plain_kind;

#endif
