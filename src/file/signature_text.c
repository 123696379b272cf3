/* SPDX-License-Identifier: MIT */
/* Read, written again, and compared: so there is one spelling of each. */
#include "signature_text.h"

#include <sodium/utils.h>
#include <stdio.h>
#include <string.h>

#include "checksum.h"
#include "status.h"

#define VERIFY_NAME "ultrafilter-verify-"
#define SIGNATURE_NAME "ultrafilter-signature-"
#define PUBLIC_WORD "1 ed25519 "
#define OWN_WORD "1 blake2b "

static char *put_hex(char *at, const unsigned char *bytes, size_t count)
{
    (void)sodium_bin2hex(at, 2 * count + 1, bytes, count);
    return at + 2 * count;
}

/* The digits at `at`, which are there. 0 when they are something else. */
static int get_hex(const char *at, unsigned char *bytes, size_t count)
{
    size_t made;
    return !sodium_hex2bin(bytes, count, at, 2 * count, NULL, &made, NULL) && made == count;
}

static void sizes_of(int how, size_t *signer, size_t *value)
{
    *signer = how == UF_SIGN_PUBLIC ? 32 : KEY_ID_BYTES;
    *value = how == UF_SIGN_PUBLIC ? SIGNATURE_BYTES : MAC_BYTES;
}

size_t signature_print(const struct signature *signature, char line[SIGNATURE_LINE])
{
    size_t signer, value;
    sizes_of(signature->how, &signer, &value);
    char *at = stpcpy(stpcpy(line, SIGNATURE_NAME), signature->how == UF_SIGN_PUBLIC ? PUBLIC_WORD : OWN_WORD);
    at = put_hex(at, signature->signer, signer);
    *at++ = ' ';
    at = put_hex(at, signature->value, value);
    at = stpcpy(at, "\n");
    return (size_t)(at - line);
}

static int check_name(const char *text, size_t bytes, const char *name, const char *what, const char *maker,
                      uf_error *why)
{
    size_t length = strlen(name);
    if (bytes < length + 2 || memcmp(text, name, length) != 0)
        return fail(why, UF_EFORMAT, "is not %s: those are made by 'ultrafilter %s'", what, maker);
    if (text[length] != '1' || text[length + 1] != ' ')
        return fail(why, UF_EVERSION, "is %s of another version: this library reads version 1", what);
    return UF_OK;
}

/* Whether the text is the line that was made from what was read in it. */
static int same_line(const char *text, size_t bytes, const char *line, size_t length)
{
    return bytes == length && !memcmp(text, line, length);
}

int signature_parse(const char *text, size_t bytes, struct signature *out, uf_error *why)
{
    char line[SIGNATURE_LINE];
    size_t signer, value, words = strlen(SIGNATURE_NAME PUBLIC_WORD); /* both words have this length */
    int status = check_name(text, bytes, SIGNATURE_NAME, "a signature", "sign", why);
    if (status != UF_OK)
        return status;
    memset(out, 0, sizeof *out);
    out->how = !memcmp(text, SIGNATURE_NAME OWN_WORD, bytes < words ? bytes : words) ? UF_SIGN_OWN : UF_SIGN_PUBLIC;
    sizes_of(out->how, &signer, &value);
    if (bytes == words + 2 * signer + 1 + 2 * value + 1 && get_hex(text + words, out->signer, signer) &&
        get_hex(text + words + 2 * signer + 1, out->value, value) &&
        same_line(text, bytes, line, signature_print(out, line)))
        return UF_OK;
    return fail(why, UF_EFORMAT, "is a damaged signature: it was cut, or a character was changed");
}

size_t verify_key_print(const uf_verify_key *key, char line[SIGNATURE_LINE])
{
    char *at = put_hex(stpcpy(line, VERIFY_NAME "1 "), key->bytes, sizeof key->bytes);
    size_t length = (size_t)(at - line);
    uint64_t sum = checksum(line, length, 0);
    return length + (size_t)snprintf(at, SIGNATURE_LINE - length, " %016llx\n", (unsigned long long)sum);
}

int verify_key_parse(const char *text, size_t bytes, uf_verify_key *out, uf_error *why)
{
    uf_verify_key key;
    char line[SIGNATURE_LINE];
    size_t words = strlen(VERIFY_NAME) + 2;
    int status = check_name(text, bytes, VERIFY_NAME, "a verify key", "keygen --public", why);
    if (status != UF_OK)
        return status;
    if (bytes < words + 2 * sizeof key.bytes || !get_hex(text + words, key.bytes, sizeof key.bytes) ||
        !same_line(text, bytes, line, verify_key_print(&key, line)))
        return fail(why, UF_EFORMAT, "is a damaged verify key: it was cut, or a character was changed");
    *out = key;
    return UF_OK;
}
