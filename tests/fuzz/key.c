/* SPDX-License-Identifier: MIT */
/* Key files. The input is the text; where its first bit says so, the checksum behind the last space is made to fit. */
#include "fuzz.h"

#include <stdio.h>
#include <string.h>

#include "checksum.h"

enum { MOST_TEXT = 256, DIGITS = 16 };

/* Puts the checksum of what is before it over the last digits of a line. */
static void seal(char *text, size_t size)
{
    char sum[DIGITS + 1];
    if (size < DIGITS + 2)
        return;
    const size_t at = size - DIGITS - 1;
    (void)snprintf(sum, sizeof sum, "%016llx", (unsigned long long)checksum(text, at - 1, 0));
    memcpy(text + at, sum, DIGITS);
}

int fuzz_key(const uint8_t *data, size_t size)
{
    struct tape tape = {data, size};
    const unsigned flags = tape_byte(&tape);
    const uint8_t *given;
    char text[MOST_TEXT], id[UF_KEY_ID_SIZE], again_id[UF_KEY_ID_SIZE];
    uf_secret *secret = NULL, *again = NULL;
    uf_error why;
    size_t bytes = tape_take(&tape, sizeof text, &given);
    memcpy(text, given, bytes);
    if (flags & 1)
        seal(text, bytes);
    int status = uf_secret_load_fd(fuzz_file_fd(text, bytes), &secret, &why);
    fuzz_check((status == UF_OK) == (secret != NULL) && why.status == status && (status == UF_OK) == !why.text[0]);
    if (secret) {
        uf_secret_id(secret, id);
        fuzz_check(uf_secret_load_fd(fuzz_file_fd(text, bytes), &again, NULL) == UF_OK);
        uf_secret_id(again, again_id);
        fuzz_check(!strcmp(id, again_id));
        fuzz_plant(text[18] >= '8', text[81] % 2);
    }
    uf_secret_free(again);
    uf_secret_free(secret);
    return 0;
}

fuzz_head_of fuzz_key_head;
size_t fuzz_key_head(const uint8_t *data, size_t size)
{
    (void)data;
    return size;
}
