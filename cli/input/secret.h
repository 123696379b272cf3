/* SPDX-License-Identifier: MIT */
/* --key-file: the master key that a command needs. */
#ifndef CLI_SECRET_H
#define CLI_SECRET_H

#include "args.h"
#include "ultrafilter.h"

/* To be called before there is a key in memory: from then on there is no core file, and no debugger of another process
 * gets at it. secret_load does it. */
void secret_guard(void);

/* The key that --key-file names, NULL when there is none. EXIT_FINE, or EXIT_ERROR after a message. */
int secret_load(const struct args *args, uf_secret **out);

/* The key that --verify-key names: *given points to it, and is NULL when there is none. */
int secret_verify_key(const struct args *args, uf_verify_key *key, uf_verify_key **given);

/* An error when --prf or --label was given and no key for it. */
int secret_check(const struct args *args);

/* Of a release that is not keyed: an error when a key was given and no label, since it would change nothing. */
int secret_check_use(const struct args *args);

#endif
