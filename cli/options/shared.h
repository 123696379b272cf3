/* SPDX-License-Identifier: MIT */
/* Options that several commands take, each said once. An option of one command only is in the file of that command. */
#ifndef CLI_SHARED_H
#define CLI_SHARED_H

#include "args.h"

extern const struct option option_output, option_overwrite, option_spec, option_kind, option_capacity, option_fpr,
    option_bits, option_bits_per_key, option_epsilon, option_prefer, option_universe_size, option_positives,
    option_negatives, option_valid, option_children, option_full, option_window, option_model, option_scores,
    option_valid_scores, option_regions, option_key, option_new, option_adversarial_share, option_force, option_null,
    option_crlf, option_bom, option_field, option_column, option_delimiter, option_hex, option_base64, option_binary,
    option_raw, option_lowercase, option_trim, option_threads, option_format, option_format_read, option_key_file,
    option_label, option_prf, option_verify_key, option_signature, option_signed_name, option_least_serial,
    option_last_serial, option_quiet, option_json, option_progress;

/* How keys lie in their files: for every command that reads some. */
#define KEYS_OPTIONS                                                                                        \
    &option_null, &option_crlf, &option_bom, &option_field, &option_column, &option_delimiter, &option_hex, \
        &option_base64, &option_binary, &option_raw

#endif
