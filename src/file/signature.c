/* SPDX-License-Identifier: MIT */
/* Signatures of files: made from, and checked against, the root of the very bytes that are loaded (root.h). */
#include <errno.h>
#include <sodium/crypto_sign_ed25519.h>
#include <sodium/utils.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "context.h"
#include "file.h"
#include "keying.h"
#include "load.h"
#include "signature_text.h"
#include "status.h"
#include "subject.h"

/* ---- what is signed ---- */

/* A label and the root, so that what is signed here is no message of anything else. */
enum { LABEL_BYTES = 24, MESSAGE_BYTES = LABEL_BYTES + DIGEST_BYTES };

static void message_of(const struct file_root *root, unsigned char out[MESSAGE_BYTES])
{
    static const char label[LABEL_BYTES] = "ultrafilter signature 1";
    memcpy(out, label, LABEL_BYTES);
    memcpy(out + LABEL_BYTES, root->digest, DIGEST_BYTES);
}

static void sign_keys(const uf_secret *secret, unsigned char public[32], unsigned char private[64])
{
    unsigned char seed[32];
    derive(secret->master, "signature", NULL, 0, seed);
    (void)crypto_sign_ed25519_seed_keypair(public, private, seed);
    explicit_bzero(seed, sizeof seed);
}

void uf_verify_key_of(const uf_secret *secret, uf_verify_key *out)
{
    unsigned char private[64];
    sign_keys(secret, out->bytes, private);
    explicit_bzero(private, sizeof private);
}

static void sign_public(const uf_secret *secret, const unsigned char message[MESSAGE_BYTES], struct signature *out)
{
    unsigned char private[64];
    sign_keys(secret, out->signer, private);
    (void)crypto_sign_ed25519_detached(out->value, NULL, message, MESSAGE_BYTES, private);
    explicit_bzero(private, sizeof private);
}

static void sign_own(const uf_secret *secret, const unsigned char message[MESSAGE_BYTES], struct signature *out)
{
    struct key_stamp stamp;
    keying_id(secret, &stamp);
    memcpy(out->signer, stamp.id, KEY_ID_BYTES);
    derive(secret->master, "file mac", message, MESSAGE_BYTES, out->value);
}

static void sign_root(const struct file_root *root, int how, const uf_secret *secret, struct signature *out)
{
    unsigned char message[MESSAGE_BYTES];
    memset(out, 0, sizeof *out);
    out->how = how;
    message_of(root, message);
    if (how == UF_SIGN_PUBLIC)
        sign_public(secret, message, out);
    else
        sign_own(secret, message, out);
}

/* ---- files of one line ---- */

static int read_line(const char *path, char text[SIGNATURE_LINE], size_t *bytes, uf_error *why)
{
    uint64_t size;
    int fd = file_open(path, &size, why);
    if (fd < 0)
        return fd;
    *bytes = size < SIGNATURE_LINE ? (size_t)size : SIGNATURE_LINE; /* one that long is none */
    int status = file_read(fd, text, *bytes, 0, why);
    close(fd);
    return status;
}

int uf_verify_key_save(const uf_verify_key *key, const char *path, uf_error *why)
{
    char line[SIGNATURE_LINE];
    error_clear(why);
    if (!key || !path)
        return fail(why, UF_EINVAL, "no key or no path was given");
    int status = file_replace_bytes(path, FILE_REPLACE, line, verify_key_print(key, line), why);
    return subject_file(status, path, why);
}

int uf_verify_key_load(const char *path, uf_verify_key *out, uf_error *why)
{
    char text[SIGNATURE_LINE];
    size_t bytes;
    error_clear(why);
    if (!path || !out)
        return fail(why, UF_EINVAL, "no path or no place for the key was given");
    int status = read_line(path, text, &bytes, why);
    return subject_file(status == UF_OK ? verify_key_parse(text, bytes, out, why) : status, path, why);
}

/* ---- signing ---- */

/* Where the signature of a file is, unless someone says otherwise. */
static int name_of(const char *path, const char *said, char out[4096], uf_error *why)
{
    int length = said ? snprintf(out, 4096, "%s", said) : snprintf(out, 4096, "%s.sig", path);
    return length < 4096 ? UF_OK : fail(why, UF_EIO, "has a name that is too long");
}

static int sign_file(const char *path, const char *said, int how, const uf_context *ctx, uf_error *why)
{
    char name[4096], line[SIGNATURE_LINE];
    struct file_root root;
    struct signature signature;
    uf_error inner = {0, 0, ""};
    int status = name_of(path, said, name, why);
    if (status == UF_OK)
        status = load_rooted(path, ctx, &root, NULL, why);
    if (status != UF_OK)
        return status;
    sign_root(&root, how, ctx->secret, &signature);
    status = file_replace_bytes(name, FILE_REPLACE, line, signature_print(&signature, line), &inner);
    (void)subject_file(status, name, &inner);
    return status == UF_OK ? UF_OK : fail_because(why, status, inner.reason, "cannot be signed: %s", inner.text);
}

int uf_sign(const char *path, const char *said, int how, const uf_context *given, uf_error *why)
{
    uf_context ctx;
    error_clear(why);
    if (!path)
        return fail(why, UF_EINVAL, "no path was given");
    int status = context_read(given, &ctx, why);
    if (status != UF_OK)
        return status;
    if (how != UF_SIGN_PUBLIC && how != UF_SIGN_OWN)
        return fail(why, UF_EINVAL, "there is no way %d to sign", how);
    if (!ctx.secret)
        return fail(why, UF_EKEY, "signing needs a key, which 'ultrafilter keygen' makes");
    return subject_file(sign_file(path, said, how, &ctx, why), path, why);
}

/* ---- checking ---- */

/* Whose signature it is, as far as it says so itself: for errors that help. */
static int check_signer(const struct signature *signature, const uf_verify_key *key, const uf_secret *secret,
                        uf_error *why)
{
    uf_verify_key own;
    struct key_stamp stamp;
    if (key && signature->how != UF_SIGN_PUBLIC)
        return fail(why, UF_ESIGNATURE, "has its owner's MAC, which a verify key cannot check: sign it without --mac");
    if (!key && !secret)
        return fail(why, UF_EKEY, "needs the verify key to have its signature checked, or the key it was signed with");
    if (!key)
        uf_verify_key_of(secret, &own);
    const unsigned char *want = key ? key->bytes : own.bytes;
    if (signature->how == UF_SIGN_OWN) {
        keying_id(secret, &stamp);
        if (!sodium_memcmp(stamp.id, signature->signer, KEY_ID_BYTES))
            return UF_OK;
    } else if (!sodium_memcmp(want, signature->signer, sizeof signature->signer)) {
        return UF_OK;
    }
    return fail(why, UF_ESIGNATURE, "was signed by someone else: with another key than the one given");
}

static int fits(const struct signature *signature, const struct file_root *root, const uf_secret *secret)
{
    unsigned char message[MESSAGE_BYTES];
    struct signature own;
    if (signature->how == UF_SIGN_PUBLIC) {
        message_of(root, message);
        return !crypto_sign_ed25519_verify_detached(signature->value, message, MESSAGE_BYTES, signature->signer);
    }
    sign_root(root, UF_SIGN_OWN, secret, &own);
    int same = !sodium_memcmp(own.value, signature->value, MAC_BYTES);
    explicit_bzero(&own, sizeof own);
    return same;
}

static int read_signature(const char *name, struct signature *out, uf_error *why)
{
    char text[SIGNATURE_LINE];
    size_t bytes;
    uf_error inner = {0, 0, ""};
    int missing = access(name, F_OK) && errno == ENOENT;
    if (missing)
        return fail_because(why, UF_ESIGNATURE, ENOENT, "is not signed: there is no file %.200s", name);
    int status = read_line(name, text, &bytes, &inner);
    if (status == UF_OK)
        status = signature_parse(text, bytes, out, &inner);
    if (status == UF_OK)
        return UF_OK;
    (void)subject_file(status, name, &inner);
    return fail_because(why, status == UF_EFORMAT ? UF_ESIGNATURE : status, inner.reason, "cannot be checked: %s",
                        inner.text);
}

/* With out NULL nothing but the check. */
static int check_file(const char *path, const char *said, const uf_verify_key *key, const uf_context *ctx,
                      uf_filter **out, uf_error *why)
{
    char name[4096];
    struct signature signature;
    struct file_root root;
    uf_filter *filter = NULL;
    int status = name_of(path, said, name, why);
    if (status == UF_OK)
        status = read_signature(name, &signature, why);
    if (status == UF_OK)
        status = check_signer(&signature, key, ctx->secret, why);
    if (status == UF_OK)
        status = load_rooted(path, ctx, &root, out ? &filter : NULL, why);
    if (status == UF_OK && !fits(&signature, &root, ctx->secret))
        status = fail(why, UF_ESIGNATURE, "was altered after it was signed, or the signature was: they do not fit");
    if (status == UF_OK && out)
        *out = filter;
    else
        uf_free(filter);
    return status;
}

static int check_and_load(const char *path, const char *said, const uf_verify_key *key, const uf_context *given,
                          uf_filter **out, uf_error *why)
{
    uf_context ctx;
    error_clear(why);
    if (!path)
        return fail(why, UF_EINVAL, "no path was given");
    int status = context_read(given, &ctx, why);
    return status == UF_OK ? subject_file(check_file(path, said, key, &ctx, out, why), path, why) : status;
}

int uf_check_signature(const char *path, const char *signature, const uf_verify_key *key, const uf_context *ctx,
                       uf_error *why)
{
    return check_and_load(path, signature, key, ctx, NULL, why);
}

int uf_load_signed(const char *path, const char *signature, const uf_verify_key *key, const uf_context *ctx,
                   uf_filter **out, uf_error *why)
{
    if (!out)
        return fail(why, UF_EINVAL, "no place for the filter was given");
    return check_and_load(path, signature, key, ctx, out, why);
}
