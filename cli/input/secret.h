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

/* All keys that --key-file names, the old and the new one while a key is rotated. secret_ring_find has the form of
 * uf_context.secret_by_id. */
struct secret_ring;
int secret_ring_load(const struct args *args, struct secret_ring **out);
void secret_ring_free(struct secret_ring *ring); /* NULL is fine */
size_t secret_ring_count(const struct secret_ring *ring);
const uf_secret *secret_ring_first(const struct secret_ring *ring); /* NULL: there is none */
const uf_secret *secret_ring_find(void *ring, const char *key_id);

/* The key that --verify-key names: *given points to it, and is NULL when there is none. */
int secret_verify_key(const struct args *args, uf_verify_key *key, uf_verify_key **given);

/* An error when --prf or --label was given and no key for it. */
int secret_check(const struct args *args);

/* Of a release that is not keyed: an error when a key was given and no label, since it would change nothing. */
int secret_check_use(const struct args *args);

#endif
