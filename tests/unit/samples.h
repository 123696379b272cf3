/* SPDX-License-Identifier: MIT */
/* Small filters of every kind as bytes, the same every time, for the tests that damage them. Keyed ones are made with
 * secret_number(0). */
#ifndef UF_TEST_SAMPLES_H
#define UF_TEST_SAMPLES_H

#include "bytes.h"
#include "check.h"
#include "checksum.h"
#include "header.h"
#include "filter.h"
#include "keys.h"
#include "random.h"
#include "secrets.h"

static const char *const samples[] = {
    "bloom:n=3,fpr=0.01,seed=0x1",
    "blocked:n=3,fpr=0.01,seed=0x2",
    "ribbon:n=3,fpr=0.01,seed=0x3",
    "ribbon:n=3,fpr=0.3,band=128,seed=0x4",
    "dcso:n=3,fpr=0.01",
    "dpset:n=3,epsilon=3,variant=radix,seed=0x5",
    "dpset:n=3,epsilon=3,variant=dyadic,seed=0x5",
    "dpset:n=3,epsilon=8,variant=integer,seed=0x6",
    "ultra:n=3,epsilon=3,k=3,seed=0x7",
    "ultra:n=3,epsilon=3,mechanism=published,hashes=paper,seed=0x8",
    "counting:n=3,fpr=0.01,seed=0x5",
    "deletable:n=3,fpr=0.01,seed=0x6",
    "tombstone:n=3,fpr=0.01,seed=0x7",
    "keyed(bloom:n=3,fpr=0.01,seed=0x5)",
    "keyed(blocked:n=3,fpr=0.01,seed=0x6,prf=aes)",
    "blocked:n=3,fpr=0.01,seed=0x9,full=refuse",
    "bloom:n=3,fpr=0.01,seed=0xa,full=scale",
    "blocked:n=3,fpr=0.01,seed=0xb,window=2",
    "blocked:n=3,fpr=0.01,seed=0xc,part=1/2",
    "keyed(blocked:n=3,fpr=0.01,seed=0xd,part=4/5)",
};

enum { SAMPLES = sizeof samples / sizeof samples[0] };

static inline struct bytes sample_of(const char *spec, size_t count)
{
    struct keys keys = keys_make("key", count);
    uf_context ctx = UF_CONTEXT_INIT;
    uint64_t seed = 1;
    ctx.random = random_bytes;
    ctx.random_arg = &seed;
    ctx.secret = strncmp(spec, "keyed(", 6) ? NULL : secret_number(0);
    struct bytes bytes = bytes_of_build(spec, keys.key, keys.count, &ctx);
    keys_free(&keys);
    return bytes;
}

/* Makes the header's checksum fit again after a change. */
static inline void reseal_header(unsigned char *file)
{
    struct writer end = {file + HEADER_BYTES - 8, 8, 0};
    write_uint(&end, checksum(file, HEADER_BYTES - 8, 0), 8);
}

static inline int is_format_error(int status)
{
    return status == UF_EFORMAT || status == UF_EVERSION;
}

#endif
