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
#include "sized.h"
#include "status.h"
#include "subject.h"
#include "wire.h"

/* ---- what is signed ---- */

/*
 * A label and the root, so that what is signed here is no message of anything else. With a name or a serial another
 * label, and behind the root the serial, the length of the name and the name: each message is read in one way only.
 */
enum { LABEL_BYTES = 24, MESSAGE_BYTES = LABEL_BYTES + DIGEST_BYTES, MOST_MESSAGE = MESSAGE_BYTES + 9 + NAME_BYTES };

struct message {
    unsigned char bytes[MOST_MESSAGE];
    size_t size;
};

static struct message message_of(const struct file_root *root, const struct signature *signature)
{
    static const char plain[LABEL_BYTES] = "ultrafilter signature 1", bound[LABEL_BYTES] = "ultrafilter signature 2";
    struct message message = {.size = MESSAGE_BYTES};
    memcpy(message.bytes, signature_binds(signature) ? bound : plain, LABEL_BYTES);
    memcpy(message.bytes + LABEL_BYTES, root->digest, DIGEST_BYTES);
    if (signature_binds(signature)) {
        size_t length = strlen(signature->name);
        struct writer writer = {message.bytes + MESSAGE_BYTES, MOST_MESSAGE - MESSAGE_BYTES, 0};
        write_uint(&writer, signature->serial, 8);
        write_uint(&writer, length, 1);
        write_bytes(&writer, signature->name, length);
        message.size = MESSAGE_BYTES + 9 + length;
    }
    return message;
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

static void sign_public(const uf_secret *secret, const struct message *message, struct signature *out)
{
    unsigned char private[64];
    sign_keys(secret, out->signer, private);
    (void)crypto_sign_ed25519_detached(out->value, NULL, message->bytes, message->size, private);
    explicit_bzero(private, sizeof private);
}

static void sign_own(const uf_secret *secret, const struct message *message, struct signature *out)
{
    struct key_stamp stamp;
    keying_id(secret, &stamp);
    memcpy(out->signer, stamp.id, KEY_ID_BYTES);
    derive(secret->master, "file mac", message->bytes, message->size, out->value);
}

/* `out` says in which way, and what it binds. */
static void sign_root(const struct file_root *root, const uf_secret *secret, struct signature *out)
{
    struct message message = message_of(root, out);
    if (out->how == UF_SIGN_PUBLIC)
        sign_public(secret, &message, out);
    else
        sign_own(secret, &message, out);
}

/* ---- what it is for ---- */

static int purpose_read(const uf_purpose *given, uf_purpose *out, uf_error *why)
{
    *out = (uf_purpose)UF_PURPOSE_INIT;
    int status = given ? sized_read(out, sizeof *out, given, given->size, "UF_PURPOSE_INIT", why) : UF_OK;
    if (status != UF_OK || !out->name || signature_name_is_fine(out->name, strlen(out->name)))
        return status;
    return fail(why, UF_EINVAL, "'%.80s' is no name for a signature: it has 1 to %d visible characters, and no space",
                out->name, NAME_BYTES);
}

/* Whether a signature that fits is for what is asked for. */
static int check_purpose(const struct signature *signature, const uf_purpose *purpose, uf_error *why)
{
    const unsigned long long serial = signature->serial, least = purpose->serial;
    if (purpose->name && !signature->name[0])
        return fail(why, UF_ESIGNATURE, "was signed under no name, and must be signed as %s: sign it with that name",
                    purpose->name);
    if (purpose->name && strcmp(purpose->name, signature->name) != 0)
        return fail(why, UF_ESIGNATURE, "was signed as %s, not as %s: it is another file of the same signer's",
                    signature->name, purpose->name);
    if (serial >= least)
        return UF_OK;
    if (!serial)
        return fail(why, UF_ESIGNATURE, "was signed without a serial, and must have one from %llu on", least);
    return fail(why, UF_ESIGNATURE, "was signed with serial %llu, and must have one from %llu on: it is an older file",
                serial, least);
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

static int sign_file(const char *path, const char *said, struct signature *signature, const uf_context *ctx,
                     uf_error *why)
{
    char name[4096], line[SIGNATURE_LINE];
    struct file_root root;
    uf_error inner = {0, 0, ""};
    int status = name_of(path, said, name, why);
    if (status == UF_OK)
        status = load_rooted(path, ctx, &root, NULL, why);
    if (status != UF_OK)
        return status;
    sign_root(&root, ctx->secret, signature);
    status = file_replace_bytes(name, FILE_REPLACE, line, signature_print(signature, line), &inner);
    (void)subject_file(status, name, &inner);
    return status == UF_OK ? UF_OK : fail_because(why, status, inner.reason, "cannot be signed: %s", inner.text);
}

int uf_sign_for(const char *path, const char *said, int how, const uf_purpose *wanted, const uf_context *given,
                uf_error *why)
{
    uf_context ctx;
    uf_purpose purpose;
    struct signature signature = {.how = how};
    error_clear(why);
    if (!path)
        return fail(why, UF_EINVAL, "no path was given");
    int status = context_read(given, &ctx, why);
    if (status == UF_OK)
        status = purpose_read(wanted, &purpose, why);
    if (status != UF_OK)
        return status;
    if (how != UF_SIGN_PUBLIC && how != UF_SIGN_OWN)
        return fail(why, UF_EINVAL, "there is no way %d to sign", how);
    if (!ctx.secret)
        return fail(why, UF_EKEY, "signing needs a key, which 'ultrafilter keygen' makes");
    signature.serial = purpose.serial;
    (void)snprintf(signature.name, sizeof signature.name, "%s", purpose.name ? purpose.name : "");
    return subject_file(sign_file(path, said, &signature, &ctx, why), path, why);
}

int uf_sign(const char *path, const char *said, int how, const uf_context *ctx, uf_error *why)
{
    return uf_sign_for(path, said, how, NULL, ctx, why);
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
    struct signature own = *signature;
    if (signature->how == UF_SIGN_PUBLIC) {
        struct message message = message_of(root, signature);
        return !crypto_sign_ed25519_verify_detached(signature->value, message.bytes, message.size, signature->signer);
    }
    sign_root(root, secret, &own);
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

/* What is asked of a file. */
struct demand {
    const char *signature; /* where it is; NULL: beside the file */
    const uf_verify_key *key;
    uf_purpose purpose;
};

/* With out NULL nothing but the check. */
static int check_file(const char *path, const struct demand *demand, const uf_context *ctx, struct signature *signature,
                      uf_filter **out, uf_error *why)
{
    char name[4096];
    struct file_root root;
    uf_filter *filter = NULL;
    int status = name_of(path, demand->signature, name, why);
    if (status == UF_OK)
        status = read_signature(name, signature, why);
    if (status == UF_OK)
        status = check_signer(signature, demand->key, ctx->secret, why);
    if (status == UF_OK)
        status = load_rooted(path, ctx, &root, out ? &filter : NULL, why);
    if (status == UF_OK && !fits(signature, &root, ctx->secret))
        status = fail(why, UF_ESIGNATURE, "was altered after it was signed, or the signature was: they do not fit");
    if (status == UF_OK)
        status = check_purpose(signature, &demand->purpose, why);
    if (status == UF_OK && out)
        *out = filter;
    else
        uf_free(filter);
    return status;
}

static int write_said(const struct signature *signature, uf_signed *said, size_t size)
{
    uf_signed all = {.how = signature->how, .serial = signature->serial};
    memcpy(all.name, signature->name, sizeof all.name);
    for (size_t i = 0; i < (signature->how == UF_SIGN_OWN ? KEY_ID_BYTES : sizeof signature->signer); i++)
        (void)snprintf(all.signer + 2 * i, 3, "%02x", signature->signer[i]);
    return said ? sized_write(&all, sizeof all, said, size) : UF_OK;
}

int uf_load_signed_for(const char *path, const char *where, const uf_verify_key *key, const uf_purpose *wanted,
                       const uf_context *given, uf_filter **out, uf_signed *said, size_t said_size, uf_error *why)
{
    uf_context ctx;
    struct signature signature = {.how = 0};
    struct demand demand = {.signature = where, .key = key};
    error_clear(why);
    if (!path)
        return fail(why, UF_EINVAL, "no path was given");
    int status = context_read(given, &ctx, why);
    if (status == UF_OK)
        status = purpose_read(wanted, &demand.purpose, why);
    if (status == UF_OK)
        status = subject_file(check_file(path, &demand, &ctx, &signature, out, why), path, why);
    return status == UF_OK ? write_said(&signature, said, said_size) : status;
}

int uf_read_signature(const char *path, const char *where, uf_signed *out, size_t size, uf_error *why)
{
    struct signature signature = {.how = 0};
    char name[4096];
    error_clear(why);
    if (!path || !out)
        return fail(why, UF_EINVAL, "no path or no place for what it says was given");
    int status = name_of(path, where, name, why);
    if (status == UF_OK)
        status = read_signature(name, &signature, why);
    status = subject_file(status, path, why);
    return status == UF_OK ? write_said(&signature, out, size) : status;
}

int uf_check_signature(const char *path, const char *signature, const uf_verify_key *key, const uf_context *ctx,
                       uf_error *why)
{
    return uf_load_signed_for(path, signature, key, NULL, ctx, NULL, NULL, 0, why);
}

int uf_load_signed(const char *path, const char *signature, const uf_verify_key *key, const uf_context *ctx,
                   uf_filter **out, uf_error *why)
{
    error_clear(why);
    if (!out)
        return fail(why, UF_EINVAL, "no place for the filter was given");
    return uf_load_signed_for(path, signature, key, NULL, ctx, out, NULL, 0, why);
}
