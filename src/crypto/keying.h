/* SPDX-License-Identifier: MIT */
/*
 * Hashers with a secret. All of it comes from the master key, and nothing of it is ever written:
 *
 *     PRF key      "filter hash",  seed, number of the PRF      16 bytes; the seed is public and the filter's own
 *     check value  "filter check", seed, number of the PRF      8 bytes, public, in the file
 *     key id       "key id"                                     8 bytes, public, the same for all files of a key
 *
 * each the first bytes of derive (crypto/derive.h). So a wrong key is noticed before any answer is given, and two
 * filters of one key have nothing in common but the id. Filters inside one filter may have seeds of their own, and then
 * have keys of their own, too: nobody has to keep more than the master key.
 *
 * Naor and Yogev, "Bloom filters in adversarial environments", CRYPTO 2015: over a PRF an adversary who lacks the key
 * does no better than chance.
 */
#ifndef UF_KEYING_H
#define UF_KEYING_H

#include "hash.h"
#include "spec.h"

enum { KEY_STAMP_BYTES = 16 };

/* HASH_SIPHASH or HASH_AES, by the spec's prf; UF_EINVAL for another word. */
int keying_kind(const struct spec *spec, enum hash_kind *out, uf_error *why);
const char *keying_name(enum hash_kind kind); /* "siphash" or "aes" */

/* Fills in stamp and PRF of a hasher whose kind and seed are set. */
void keying_start(struct hasher *hasher, int cpu, const uf_secret *secret);

/* The same for a hasher that was read with its stamp: UF_EKEY when the secret is missing or another one. */
int keying_unlock(struct hasher *hasher, int cpu, const uf_secret *secret, uf_error *why);

/* Compares in constant time. */
int keying_same(const struct key_stamp *a, const struct key_stamp *b);

/* Sets the id. */
void keying_id(const uf_secret *secret, struct key_stamp *out);

/* 16 hexadecimal digits. */
void keying_id_text(const struct key_stamp *stamp, char out[17]);
void keying_check_text(const struct key_stamp *stamp, char out[17]);

#endif
