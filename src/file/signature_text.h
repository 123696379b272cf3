/* SPDX-License-Identifier: MIT */
/*
 * Verify keys and signatures in files: one line of text each, with one spelling (docs/format.md#signatures).
 *
 *     ultrafilter-verify-1 <64 digits of the public key> <16 digits, checksum of what is before its space>
 *     ultrafilter-signature-1 ed25519 <64 digits of the public key> <128 digits of the signature>
 *     ultrafilter-signature-1 blake2b <16 digits of the key id> <64 digits>
 *     ultrafilter-signature-2 ...the same... name=deny-list serial=7
 *
 * Version 2 binds a name, a serial or both, in this order: a library that knows nothing of them refuses it.
 */
#ifndef UF_SIGNATURE_TEXT_H
#define UF_SIGNATURE_TEXT_H

#include "ultrafilter.h"

enum {
    SIGNATURE_BYTES = 64,
    MAC_BYTES = 32,
    KEY_ID_BYTES = 8,
    NAME_BYTES = UF_SIGNED_NAME_SIZE - 1,
    SIGNATURE_LINE = 384
};

struct signature {
    int how;                              /* enum uf_signing */
    unsigned char signer[32];             /* the verify key, or the id of the master key and zeros */
    unsigned char value[SIGNATURE_BYTES]; /* or MAC_BYTES of them */
    char name[NAME_BYTES + 1];            /* empty: none */
    uint64_t serial;                      /* 0: none */
};

static inline int signature_binds(const struct signature *signature)
{
    return signature->name[0] || signature->serial;
}

/* 1 to NAME_BYTES visible characters of ASCII. */
int signature_name_is_fine(const char *name, size_t bytes);

/* Returns the length; `line` is NUL-terminated. */
size_t signature_print(const struct signature *signature, char line[SIGNATURE_LINE]);
size_t verify_key_print(const uf_verify_key *key, char line[SIGNATURE_LINE]);

/* UF_EFORMAT, or UF_EVERSION, with what is wrong. */
int signature_parse(const char *text, size_t bytes, struct signature *out, uf_error *why);
int verify_key_parse(const char *text, size_t bytes, uf_verify_key *out, uf_error *why);

#endif
