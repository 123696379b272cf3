/* SPDX-License-Identifier: MIT */
#include "secrets.h"

#include <unistd.h>

#include "check.h"

const char *const secret_lines[SECRETS] = {
    "ultrafilter-key-1 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f 23b16c0b9e477122\n",
    "ultrafilter-key-1 fff8f1eae3dcd5cec7c0b9b2aba49d968f88817a736c655e575049423b342d26 c536ce11330d5bfe\n",
};

/* Through a pipe: no file is left anywhere. */
static uf_secret *load(const char *line)
{
    int ends[2];
    uf_secret *secret = NULL;
    uf_error why;
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], line, SECRET_LINE), SECRET_LINE);
    close(ends[1]);
    assert_status(UF_OK, uf_secret_load_fd(ends[0], &secret, &why), &why);
    close(ends[0]);
    return secret;
}

const uf_secret *secret_number(unsigned number)
{
    static uf_secret *secrets[SECRETS];
    if (!secrets[number])
        secrets[number] = load(secret_lines[number]);
    return secrets[number];
}

uf_context secret_context(void)
{
    uf_context ctx = UF_CONTEXT_INIT;
    ctx.secret = secret_number(0);
    return ctx;
}
