/* SPDX-License-Identifier: MIT */
#include "address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

struct address address_v4(const uint8_t bytes[4])
{
    struct address out;
    memcpy(out.bytes, mapped, sizeof mapped);
    memcpy(out.bytes + sizeof mapped, bytes, 4);
    return out;
}

struct address address_v6(const uint8_t bytes[ADDRESS_BYTES])
{
    struct address out;
    memcpy(out.bytes, bytes, ADDRESS_BYTES);
    return out;
}

/* 32 digits are always binary: as a decimal or hex number they would not fit. */
static int base_of(const char **text)
{
    if (strlen(*text) == 32 && strspn(*text, "01") == 32)
        return 2;
    if (!strncmp(*text, "0x", 2) && (*text)[2 + strspn(*text + 2, "0123456789abcdefABCDEF")] == 0) {
        *text += 2;
        return 16;
    }
    return (*text)[strspn(*text, "0123456789")] == 0 ? 10 : 0;
}

int word_parse(const char *text, uint32_t *out)
{
    int base = base_of(&text);
    if (!base || !*text)
        return -1;
    errno = 0;
    unsigned long long value = strtoull(text, NULL, base);
    if (errno || value > UINT32_MAX)
        return -1;
    *out = (uint32_t)value;
    return 0;
}

void word_bytes(uint32_t word, uint8_t out[4])
{
    for (int i = 0; i < 4; i++)
        out[i] = (uint8_t)(word >> (24 - 8 * i));
}

int address_parse(const char *text, struct address *out)
{
    uint8_t v4[4];
    uint32_t word;
    if (strchr(text, ':'))
        return inet_pton(AF_INET6, text, out->bytes) == 1 ? 0 : -1;
    if (inet_pton(AF_INET, text, v4) != 1) {
        if (word_parse(text, &word))
            return -1;
        word_bytes(word, v4);
    }
    *out = address_v4(v4);
    return 0;
}

struct address_text address_print(const struct address *address)
{
    struct address_text out = {""};
    int is_v4 = !memcmp(address->bytes, mapped, sizeof mapped);
    (void)inet_ntop(is_v4 ? AF_INET : AF_INET6, address->bytes + (is_v4 ? sizeof mapped : 0), out.text,
                    sizeof out.text);
    return out;
}
