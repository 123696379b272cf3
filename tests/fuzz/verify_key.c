/* SPDX-License-Identifier: MIT */
/* Verify keys, as key.c does: the input is a byte of flags and the text. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "checksum.h"
#include "signature_text.h"

enum { MOST_TEXT = 512, DIGITS = 16 };

int fuzz_verify_key(const uint8_t *data, size_t size)
{
    struct tape tape = {data, size};
    const unsigned flags = tape_byte(&tape);
    const uint8_t *given;
    char text[MOST_TEXT], sum[DIGITS + 1], line[SIGNATURE_LINE];
    uf_verify_key key;
    uf_error why = {0, 0, ""};
    size_t bytes = tape_take(&tape, sizeof text, &given);
    memcpy(text, given, bytes);
    if (flags & 1 && bytes > DIGITS + 1) {
        (void)snprintf(sum, sizeof sum, "%016llx", (unsigned long long)checksum(text, bytes - DIGITS - 2, 0));
        memcpy(text + bytes - DIGITS - 1, sum, DIGITS);
    }
    int status = verify_key_parse(text, bytes, &key, &why);
    fuzz_check(why.status == status && (status == UF_OK) == !why.text[0]);
    if (status == UF_OK) {
        fuzz_check(verify_key_print(&key, line) == bytes && !memcmp(line, text, bytes));
        fuzz_plant(key.bytes[0] >= 0x80, !(key.bytes[31] % 2));
    }
    return 0;
}

fuzz_head_of fuzz_verify_key_head;
size_t fuzz_verify_key_head(const uint8_t *data, size_t size)
{
    (void)data;
    return size;
}
