/* SPDX-License-Identifier: MIT */
/*
 * What redis.conf and CONFIG SET say, as ultrafilter.NAME, and the arguments of RedisBloom's loadmodule line:
 *
 *     key-file        master key of new filters          old-key-file   the one before it, while it is still needed
 *     require-key     no filter without a key is made    max-bytes      memory of one filter when it is made
 *     error-rate      of BF.ADD on a missing key         initial-size   likewise
 *     cf-initial-size of CF.ADD on a missing key         cf-error-rate  of CF.*, all levels
 *     ledger          file that UF.RELEASE ... LEDGER charges             ledger-budget  of a data set, first release
 */
#ifndef UFR_SETTINGS_H
#define UFR_SETTINGS_H

#include "host.h"

enum { SETTING_TEXT = 1024 };

struct settings {
    char key_file[SETTING_TEXT], old_key_file[SETTING_TEXT], ledger[SETTING_TEXT];
    double error_rate, cf_error_rate, ledger_budget;
    long long initial_size, cf_initial_size, cf_max_expansions, max_bytes;
    int require_key;
};

extern struct settings settings;

int settings_register(RedisModuleCtx *ctx);

/* ERROR_RATE, INITIAL_SIZE and CF_MAX_EXPANSIONS with their values. */
int settings_arguments(RedisModuleCtx *ctx, RedisModuleString **argv, int argc);

#endif
