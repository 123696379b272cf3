/* SPDX-License-Identifier: MIT */
/* The library takes keys from key files only, whose text is public (docs/format.md#key-files): this one is a pipe. */
#include "keyring.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "refuse.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

enum { KEY_BYTES = 32, LINE_BYTES = 100, SUMMED_BYTES = 82 };

static int draw(const uf_context *ctx, unsigned char key[KEY_BYTES])
{
    if (ctx && ctx->random)
        return ctx->random(ctx->random_arg, key, KEY_BYTES);
    return getrandom(key, KEY_BYTES, 0) == KEY_BYTES ? 0 : -1;
}

static void write_line(const unsigned char key[KEY_BYTES], char line[LINE_BYTES + 1])
{
    int at = sprintf(line, "ultrafilter-key-1 ");
    for (unsigned i = 0; i < KEY_BYTES; i++)
        at += sprintf(line + at, "%02x", key[i]);
    (void)sprintf(line + at, " %016llx\n", (unsigned long long)XXH3_64bits(line, SUMMED_BYTES));
}

static int load_line(const char *line, uf_secret **out, uf_error *why)
{
    int end[2];
    if (pipe(end))
        return refuse(why, UF_EIO, "the system has no pipe for the key of an experiment");
    int whole = write(end[1], line, LINE_BYTES) == LINE_BYTES;
    close(end[1]);
    int status = whole ? uf_secret_load_fd(end[0], out, why) : refuse(why, UF_EIO, "a pipe did not take a key");
    close(end[0]);
    return status;
}

int keyring_draw(const uf_context *ctx, uf_secret **out, uf_error *why)
{
    unsigned char key[KEY_BYTES];
    char line[LINE_BYTES + 1];
    if (draw(ctx, key))
        return refuse(why, UF_ERANDOM, "the system gave no randomness for the key of an experiment");
    write_line(key, line);
    int status = load_line(line, out, why);
    explicit_bzero(line, sizeof line);
    explicit_bzero(key, sizeof key);
    return status;
}
