/* SPDX-License-Identifier: MIT */
/* The golden files: how each was made. Keys are "key-0", "key-1", ...; probes are "probe-0" to "probe-255". */
#ifndef UF_TEST_GOLDEN_H
#define UF_TEST_GOLDEN_H

#include "ultrafilter.h"

struct golden {
    const char *file;
    const char *spec; /* NULL: made by another program, never written by make_golden */
    size_t keys;
    unsigned how;
    size_t removed; /* so many of the keys, the first ones, are removed again */
};

static const struct golden goldens[] = {
    {"bloom.uf", "bloom:n=100,fpr=0.1,seed=0x0123456789abcdef", 100, UF_FORMAT_UF, 0},
    {"bloom-empty.uf", "bloom:n=10,fpr=0.01,seed=0xfedcba9876543210", 0, UF_FORMAT_UF, 0},
    {"bloom-k64.uf", "bloom:n=10,k=64,bits=6400,seed=0xffffffffffffffff", 10, UF_FORMAT_UF, 0},
    {"blocked-k8.uf", "blocked:n=200,k=8,bits=1536,seed=0x0123456789abcdef", 200, UF_FORMAT_UF, 0},
    {"blocked-k16.uf", "blocked:n=200,k=16,bits=1536,seed=0x0123456789abcdef", 200, UF_FORMAT_UF, 0},
    {"ribbon-64.uf", "ribbon:fpr=0.1,seed=0x0123456789abcdef", 300, UF_FORMAT_UF, 0},
    {"ribbon-128.uf", "ribbon:fpr=0.03125,band=128,seed=0x0123456789abcdef", 300, UF_FORMAT_UF, 0},
    {"ribbon-shards.uf", "ribbon:fpr=0.4,seed=0x0123456789abcdef", 9000, UF_FORMAT_UF, 0},
    {"counting.uf", "counting:n=100,fpr=0.1,seed=0x0123456789abcdef", 100, UF_FORMAT_UF, 30},
    {"deletable.uf", "deletable:n=100,fpr=0.1,region=5,seed=0x0123456789abcdef", 100, UF_FORMAT_UF, 30},
    {"tombstone.uf", "tombstone:n=100,fpr=0.1,removed=40,fnr=0.001,seed=0x0123456789abcdef", 100, UF_FORMAT_UF, 30},
    {"dcso.uf", "dcso:n=100,fpr=0.1", 100, UF_FORMAT_UF, 0},
    {"dcso.bloom", "dcso:n=100,fpr=0.1", 100, UF_FORMAT_DCSO, 0},
    {"dcso-tool.bloom", NULL, 100, UF_FORMAT_DCSO, 0},
};

enum { GOLDENS = sizeof goldens / sizeof goldens[0], PROBES = 256 };

#endif
