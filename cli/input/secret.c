/* SPDX-License-Identifier: MIT */
#include "secret.h"

#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "message.h"
#include "shared.h"

/* The descriptor that a path such as /dev/fd/3 stands for, -1 for any other path. A descriptor is ours already, so
 * its mode says nothing about who else may read it. */
static int descriptor_of(const char *path)
{
    static const char *const folders[] = {"/dev/fd/", "/proc/self/fd/"};
    if (!strcmp(path, "/dev/stdin"))
        return 0;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        size_t length = strlen(folders[i]);
        const char *number = path + length;
        if (!strncmp(path, folders[i], length) && *number && strlen(number) <= 6 &&
            !number[strspn(number, "0123456789")])
            return atoi(number);
    }
    return -1;
}

/* The sanitizers look for leaks as a debugger would, which a process that gives nothing away does not let them. */
static void let_nobody_look(void)
{
#ifndef __SANITIZE_ADDRESS__
    (void)prctl(PR_SET_DUMPABLE, 0);
#endif
}

void secret_guard(void)
{
    const struct rlimit none = {0, 0};
    (void)setrlimit(RLIMIT_CORE, &none); /* lowering a limit is always allowed */
    let_nobody_look();                   /* a program that takes core files from a pipe does not ask for the limit */
}

static int load_one(const struct args *args, const char *path, uf_secret **out)
{
    uf_error why;
    secret_guard();
    int fd = descriptor_of(path);
    int status = fd < 0 ? uf_secret_load(path, out, &why) : uf_secret_load_fd(fd, out, &why);
    if (status == UF_OK)
        return EXIT_FINE;
    const char *label = args_label(args, &option_key_file).text;
    return fd < 0 ? print_error("%s %s", label, why.text) : print_error("%s %s: %s", label, path, why.text);
}

static size_t count_keys(const struct args *args)
{
    size_t at = 0, count = 0;
    while (args_next(args, &option_key_file, &at))
        count++;
    return count;
}

int secret_load(const struct args *args, uf_secret **out)
{
    const size_t count = count_keys(args);
    *out = NULL;
    if (count > 1)
        return print_error("%s is given %zu times, and %s takes one key: the one to make something with",
                           args_label(args, &option_key_file).text, count, args->command->name);
    return count ? load_one(args, args_value(args, &option_key_file), out) : EXIT_FINE;
}

/* ---- several ---- */

struct secret_ring {
    size_t count;
    uf_secret *key[];
};

int secret_ring_load(const struct args *args, struct secret_ring **out)
{
    const size_t count = count_keys(args);
    struct secret_ring *ring = calloc(1, sizeof *ring + count * sizeof ring->key[0]);
    const char *path;
    size_t at = 0;
    int status = EXIT_FINE;
    if (!ring)
        return print_error("no memory for %zu keys", count);
    while (!status && (path = args_next(args, &option_key_file, &at))) {
        status = load_one(args, path, &ring->key[ring->count]);
        ring->count += !status;
    }
    if (status)
        secret_ring_free(ring);
    *out = status ? NULL : ring;
    return status;
}

void secret_ring_free(struct secret_ring *ring)
{
    for (size_t i = 0; ring && i < ring->count; i++)
        uf_secret_free(ring->key[i]);
    free(ring);
}

size_t secret_ring_count(const struct secret_ring *ring)
{
    return ring->count;
}

const uf_secret *secret_ring_first(const struct secret_ring *ring)
{
    return ring->count ? ring->key[0] : NULL;
}

const uf_secret *secret_ring_find(void *arg, const char *key_id)
{
    const struct secret_ring *ring = arg;
    char id[UF_KEY_ID_SIZE];
    for (size_t i = 0; i < ring->count; i++) {
        uf_secret_id(ring->key[i], id);
        if (!strcmp(id, key_id))
            return ring->key[i];
    }
    return NULL;
}

int secret_check(const struct args *args)
{
    if (args_has(args, &option_key_file))
        return EXIT_FINE;
    if (args_has(args, &option_prf))
        return print_error("--prf %s needs --key-file, the key to hash with", args_value(args, &option_prf));
    if (args_has(args, &option_label))
        return print_error("--label %s needs --key-file, the key that makes the same release again",
                           args_value(args, &option_label));
    return EXIT_FINE;
}

int secret_check_use(const struct args *args)
{
    if (!args_has(args, &option_key_file) || args_has(args, &option_label))
        return EXIT_FINE;
    return print_error("%s %s: the key has no use without --label, the name by which this release can be made again; "
                       "without one its coins are fresh each time",
                       args_label(args, &option_key_file).text, args_value(args, &option_key_file));
}

int secret_verify_key(const struct args *args, uf_verify_key *key, uf_verify_key **given)
{
    const char *path = args_value(args, &option_verify_key);
    uf_error why;
    *given = path ? key : NULL;
    if (!path || uf_verify_key_load(path, key, &why) == UF_OK)
        return EXIT_FINE;
    return print_error("%s %s", args_label(args, &option_verify_key).text, why.text);
}
