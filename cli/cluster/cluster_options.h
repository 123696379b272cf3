/* SPDX-License-Identifier: MIT */
/* Options of `cluster`: which servers, and how they are spoken to. */
#ifndef CLI_CLUSTER_OPTIONS_H
#define CLI_CLUSTER_OPTIONS_H

#include "args.h"

extern const struct option option_redis, option_user, option_password_file, option_tls, option_cacert, option_cert,
    option_tls_key, option_wait, option_replicas, option_parts, option_part_bytes;

#define ENDPOINT_OPTIONS                                                                                            \
    &option_redis, &option_user, &option_password_file, &option_tls, &option_cacert, &option_cert, &option_tls_key, \
        &option_wait

/* The variable that has the password where there is no file of it: redis-cli's own. */
#define PASSWORD_VARIABLE "REDISCLI_AUTH"

/* Bytes of a part: unless --part-bytes says otherwise, and at most. Redis moves no value of 512 MiB or more. */
enum { PART_BYTES = 64 << 20, MOST_PART_BYTES = 256 << 20 };

/* Parts of one filter. */
enum { MOST_PARTS = 4096 };

#endif
