/* SPDX-License-Identifier: MIT */
/* Signatures: the input is the text. What is read is written as it was. */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "signature_text.h"

int fuzz_signature(const uint8_t *data, size_t size)
{
    char line[SIGNATURE_LINE];
    struct signature signature;
    uf_error why = {0, 0, ""};
    int status = signature_parse((const char *)data, size, &signature, &why);
    fuzz_check(why.status == status && (status == UF_OK) == !why.text[0]);
    if (status != UF_OK)
        return 0;
    fuzz_check(signature_print(&signature, line) == size && !memcmp(line, data, size));
    fuzz_check(!signature.name[0] || signature_name_is_fine(signature.name, strlen(signature.name)));
    fuzz_plant(signature.name[0], strlen(signature.name) > 4 || strlen(signature.name) == 2);
    return 0;
}

fuzz_head_of fuzz_signature_head;
size_t fuzz_signature_head(const uint8_t *data, size_t size)
{
    (void)data;
    return size;
}
