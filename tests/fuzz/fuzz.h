/* SPDX-License-Identifier: MIT */
/*
 * What the harnesses share. Each is a file NAME.c with one function fuzz_NAME that takes the bytes of the fuzzer, turns
 * them into what a parser reads, makes checksums fit, and uses whatever was accepted. libFuzzer makes a program of one
 * of them, replay.c a plain program of several.
 *
 * A promise that does not hold is fuzz_check: it ends the process, as a finding of the sanitizers does.
 */
#ifndef UF_FUZZ_H
#define UF_FUZZ_H

#include <stddef.h>
#include <stdint.h>

#include "ultrafilter.h"

typedef int fuzz_harness(const uint8_t *data, size_t size);

/* A harness may have a fuzz_NAME_head as well: how many bytes at the front of an input are numbers that a parser
 * decides by. mutate.c alters these more often than others. */
typedef size_t fuzz_head_of(const uint8_t *data, size_t size);

/* The bytes of the fuzzer, read from the front. Past the end there are zeros. */
struct tape {
    const uint8_t *at;
    size_t left;
};

static inline uint64_t tape_number(struct tape *tape, unsigned bytes)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < bytes && tape->left; i++, tape->left--)
        value |= (uint64_t)*tape->at++ << 8 * i;
    return value;
}

static inline unsigned tape_byte(struct tape *tape)
{
    return (unsigned)tape_number(tape, 1);
}

/* Up to `size` bytes; returns how many there were. */
static inline size_t tape_take(struct tape *tape, size_t size, const uint8_t **out)
{
    size_t taken = size < tape->left ? size : tape->left;
    *out = tape->at;
    tape->at += taken;
    tape->left -= taken;
    return taken;
}

#define fuzz_check(condition) ((condition) ? (void)0 : fuzz_failed(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_failed(const char *file, int line, const char *condition);

/*
 * A bug on purpose, behind what a parser has to accept first: programs that are compiled with FUZZ_PLANTED write a byte
 * past the end of a block when both conditions hold, one after the other, as checks of a real bug would stand in two
 * places. No corpus has an input for which they do: fuzzing has to find one.
 */
#ifdef FUZZ_PLANTED
#define fuzz_plant(first, second) ((first) ? (fuzz_planted_step(), (second) ? fuzz_planted_bug() : (void)0) : (void)0)
#else
#define fuzz_plant(first, second) ((void)sizeof((first) && (second)))
#endif
void fuzz_planted_step(void);
void fuzz_planted_bug(void);

/* Memory that keeps accounts: no more than `limit` bytes at once are handed out. Where `strict` is set, asking for more
 * is a finding; where it is not, the answer is NULL. */
struct accounts {
    size_t live, limit, blocks;
    int strict;
};

uf_allocator accounts_allocator(struct accounts *accounts);

/* The key that seeds of the corpora were made with: the bytes 0 to 31. */
const uf_secret *fuzz_secret(void);

/* Random bytes that are always the same. *arg is a uint64_t. */
int fuzz_random(void *arg, void *out, size_t bytes);

/* From here on, keys and MACs that are compared by libsodium are equal, whatever they are (sodium_memcmp is wrapped).
 */
extern int fuzz_bypass;

/* A file with these bytes, always the same one: its path, and a descriptor at its start. */
const char *fuzz_file(const void *data, size_t size);
int fuzz_file_fd(const void *data, size_t size);

/* Some keys to ask for, insert and remove; the first is empty. */
enum { FUZZ_KEYS = 10 };
const uf_key *fuzz_keys(void);

#endif
