/* SPDX-License-Identifier: MIT */
#include "keying.h"

#include <sodium/utils.h>
#include <string.h>

#include "derive.h"
#include "status.h"
#include "wire.h"

int keying_kind(const struct spec *spec, enum hash_kind *out, uf_error *why)
{
    const char *prf = spec_text(spec, "prf");
    if (prf && strcmp(prf, "siphash") != 0 && strcmp(prf, "aes") != 0)
        return fail(why, UF_EINVAL, "prf=%s is not known: it is siphash or aes", prf);
    *out = prf && !strcmp(prf, "aes") ? HASH_AES : HASH_SIPHASH;
    return UF_OK;
}

const char *keying_name(enum hash_kind kind)
{
    return kind == HASH_AES ? "aes" : "siphash";
}

static void derive_for(const struct hasher *hasher, const uf_secret *secret, const char *label, unsigned char out[32])
{
    unsigned char context[10];
    struct writer writer = {context, sizeof context, 0};
    write_uint(&writer, hasher->seed, 8);
    write_uint(&writer, hasher->kind, 2);
    derive(secret->master, label, context, sizeof context, out);
}

void keying_id(const uf_secret *secret, struct key_stamp *out)
{
    unsigned char id[32];
    derive(secret->master, "key id", NULL, 0, id);
    memcpy(out->id, id, sizeof out->id);
    explicit_bzero(id, sizeof id);
}

static void stamp_for(const struct hasher *hasher, const uf_secret *secret, struct key_stamp *stamp)
{
    unsigned char check[32];
    keying_id(secret, stamp);
    derive_for(hasher, secret, "filter check", check);
    memcpy(stamp->check, check, sizeof stamp->check);
    explicit_bzero(check, sizeof check);
}

static void start_prf(struct hasher *hasher, int cpu, const uf_secret *secret)
{
    unsigned char key[32];
    derive_for(hasher, secret, "filter hash", key);
    if (hasher->kind == HASH_AES)
        cmac_start(&hasher->prf, cpu, key);
    else
        siphash_start(&hasher->prf, key);
    explicit_bzero(key, sizeof key);
}

void keying_start(struct hasher *hasher, int cpu, const uf_secret *secret)
{
    stamp_for(hasher, secret, &hasher->stamp);
    start_prf(hasher, cpu, secret);
}

int keying_same(const struct key_stamp *a, const struct key_stamp *b)
{
    return !sodium_memcmp(a, b, sizeof *a);
}

static int has_id(const uf_secret *secret, const struct key_stamp *wanted)
{
    struct key_stamp stamp;
    keying_id(secret, &stamp);
    return !sodium_memcmp(stamp.id, wanted->id, sizeof stamp.id);
}

const uf_secret *keying_find(const struct hasher *hasher, const uf_context *ctx)
{
    char id[UF_KEY_ID_SIZE];
    if (!ctx->secret_by_id || (ctx->secret && has_id(ctx->secret, &hasher->stamp)))
        return ctx->secret;
    keying_id_text(&hasher->stamp, id);
    const uf_secret *found = ctx->secret_by_id(ctx->secret_arg, id);
    return found ? found : ctx->secret;
}

int keying_unlock(struct hasher *hasher, int cpu, const uf_secret *secret, uf_error *why)
{
    struct key_stamp stamp;
    char needed[17], given[17];
    keying_id_text(&hasher->stamp, needed);
    if (!secret)
        return fail(why, UF_EKEY, "is keyed: the key with the id %s is needed", needed);
    stamp_for(hasher, secret, &stamp);
    int same = keying_same(&stamp, &hasher->stamp), same_id = !sodium_memcmp(stamp.id, hasher->stamp.id, 8);
    keying_id_text(&stamp, given);
    explicit_bzero(stamp.check, sizeof stamp.check);
    if (!same_id)
        return fail(why, UF_EKEY,
                    "was made with another key: the id of that one is %s, and that of the key given is %s", needed,
                    given);
    if (!same)
        return fail(why, UF_EKEY, "does not fit the key %s: the check value is another, so someone has altered it",
                    needed);
    start_prf(hasher, cpu, secret);
    return UF_OK;
}

void keying_id_text(const struct key_stamp *stamp, char out[17])
{
    (void)sodium_bin2hex(out, 17, stamp->id, sizeof stamp->id);
}

void keying_check_text(const struct key_stamp *stamp, char out[17])
{
    (void)sodium_bin2hex(out, 17, stamp->check, sizeof stamp->check);
}

void uf_secret_id(const uf_secret *secret, char out[17])
{
    struct key_stamp stamp;
    keying_id(secret, &stamp);
    keying_id_text(&stamp, out);
}
