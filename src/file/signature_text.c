/* SPDX-License-Identifier: MIT */
/* Read, written again, and compared: so there is one spelling of each. */
#include "signature_text.h"

#include <sodium/utils.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "status.h"

#define VERIFY_NAME "ultrafilter-verify-"
#define SIGNATURE_NAME "ultrafilter-signature-"
#define PUBLIC_WORD " ed25519 "
#define OWN_WORD " blake2b "
#define NAME_WORD " name="
#define SERIAL_WORD " serial="

static char *put_hex(char *at, const unsigned char *bytes, size_t count)
{
    (void)sodium_bin2hex(at, 2 * count + 1, bytes, count);
    return at + 2 * count;
}

/* The digits at `at`, which are there. 0 when they are something else. */
static int get_hex(const char *at, unsigned char *bytes, size_t count)
{
    return !sodium_hex2bin(bytes, count, at, 2 * count, NULL, NULL, NULL); /* all digits, or -1 */
}

static void sizes_of(int how, size_t *signer, size_t *value)
{
    *signer = how == UF_SIGN_PUBLIC ? 32 : KEY_ID_BYTES;
    *value = how == UF_SIGN_PUBLIC ? SIGNATURE_BYTES : MAC_BYTES;
}

int signature_name_is_fine(const char *name, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        if (name[i] < '!' || name[i] > '~')
            return 0;
    return bytes >= 1 && bytes <= NAME_BYTES;
}

static char *put_bound(char *at, const struct signature *signature)
{
    if (signature->name[0])
        at = stpcpy(stpcpy(at, NAME_WORD), signature->name);
    if (signature->serial)
        at += snprintf(at, 32, SERIAL_WORD "%llu", (unsigned long long)signature->serial); /* 20 digits at most */
    return at;
}

size_t signature_print(const struct signature *signature, char line[SIGNATURE_LINE])
{
    size_t signer, value;
    sizes_of(signature->how, &signer, &value);
    char *at = stpcpy(stpcpy(line, SIGNATURE_NAME), signature_binds(signature) ? "2" : "1");
    at = stpcpy(at, signature->how == UF_SIGN_PUBLIC ? PUBLIC_WORD : OWN_WORD);
    at = put_hex(at, signature->signer, signer);
    *at++ = ' ';
    at = put_hex(at, signature->value, value);
    at = stpcpy(put_bound(at, signature), "\n");
    return (size_t)(at - line);
}

/* What stands behind the digits. Another spelling than ours shows when it is written again. */
static int get_bound(const char *text, size_t bytes, struct signature *out)
{
    const char *at = text, *end = text + bytes;
    size_t word = strlen(NAME_WORD);
    if (bytes > word && !memcmp(at, NAME_WORD, word)) {
        at += word;
        size_t length = strcspn(at, " \n");
        if (!signature_name_is_fine(at, length))
            return 0;
        memcpy(out->name, at, length);
        at += length;
    }
    word = strlen(SERIAL_WORD);
    if ((size_t)(end - at) > word && !memcmp(at, SERIAL_WORD, word))
        out->serial = strtoull(at + word, NULL, 10);
    return 1;
}

static int check_name(const char *text, size_t bytes, const char *name, char newest, const char *what,
                      const char *maker, uf_error *why)
{
    size_t length = strlen(name);
    if (bytes < length + 2 || memcmp(text, name, length) != 0)
        return fail(why, UF_EFORMAT, "is not %s: those are made by 'ultrafilter %s'", what, maker);
    if (text[length] < '1' || text[length] > newest || text[length + 1] != ' ')
        return fail(why, UF_EVERSION, "is %s of another version: this library reads version %s", what,
                    newest == '1' ? "1" : "1 and 2");
    return UF_OK;
}

/* Whether the text is the line that was made from what was read in it. */
static int same_line(const char *text, size_t bytes, const char *line, size_t length)
{
    return bytes == length && !memcmp(text, line, length);
}

/* `copy` is the text, which is NUL-terminated there. */
static int parse_fields(const char *copy, size_t bytes, struct signature *out)
{
    size_t signer, value, first = strlen(SIGNATURE_NAME) + 1, words = first + strlen(PUBLIC_WORD);
    memset(out, 0, sizeof *out);
    out->how = !strncmp(copy + first, OWN_WORD, strlen(OWN_WORD)) ? UF_SIGN_OWN : UF_SIGN_PUBLIC; /* equally long */
    sizes_of(out->how, &signer, &value);
    size_t digits = words + 2 * signer + 1 + 2 * value;
    return bytes > digits && get_hex(copy + words, out->signer, signer) &&
           get_hex(copy + words + 2 * signer + 1, out->value, value) && get_bound(copy + digits, bytes - digits, out);
}

int signature_parse(const char *text, size_t bytes, struct signature *out, uf_error *why)
{
    char line[SIGNATURE_LINE], copy[SIGNATURE_LINE + 1] = "";
    int status = check_name(text, bytes, SIGNATURE_NAME, '2', "a signature", "sign", why);
    if (status != UF_OK)
        return status;
    memcpy(copy, text, bytes < SIGNATURE_LINE ? bytes : SIGNATURE_LINE);
    if (bytes < SIGNATURE_LINE && parse_fields(copy, bytes, out) &&
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
    int status = check_name(text, bytes, VERIFY_NAME, '1', "a verify key", "keygen --public", why);
    if (status != UF_OK)
        return status;
    if (bytes < words + 2 * sizeof key.bytes || !get_hex(text + words, key.bytes, sizeof key.bytes) ||
        !same_line(text, bytes, line, verify_key_print(&key, line)))
        return fail(why, UF_EFORMAT, "is a damaged verify key: it was cut, or a character was changed");
    *out = key;
    return UF_OK;
}
