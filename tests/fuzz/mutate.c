/* SPDX-License-Identifier: MIT */
/*
 * How inputs are altered. Most of an input are bits of a filter, weights or hashes, and one of them is as good as
 * another; what a parser decides by are the numbers at the front. A harness says how far they go (fuzz_NAME_head), and
 * half of all changes go there: in place, so that no field moves, and with the values at which numbers overflow.
 */
#include <string.h>

#include "fuzz.h"

enum { MOST_HEAD = 4096 };

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* Of a harness that says nothing. */
__attribute__((weak)) fuzz_head_of fuzz_head;
__attribute__((weak)) size_t fuzz_head(const uint8_t *data, size_t size)
{
    (void)data, (void)size;
    return 0;
}

static uint64_t draw(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t mixed = (*state ^ *state >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    mixed = (mixed ^ mixed >> 27) * UINT64_C(0x94d049bb133111eb);
    return mixed ^ mixed >> 31;
}

static uint64_t take(const uint8_t *at, size_t bytes)
{
    uint64_t value = 0;
    for (size_t i = 0; i < bytes; i++)
        value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static void put(uint8_t *at, uint64_t value, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (uint8_t)(value >> 8 * i);
}

/* A power of two, or one beside it; the first has exponent 0. */
static uint64_t boundary(uint64_t *state)
{
    return (UINT64_C(1) << draw(state) % 64) + draw(state) % 3 - 1;
}

/* One number, of 1, 2, 4 or 8 bytes, where such a one may stand. */
static void change_number(uint8_t *data, size_t size, uint64_t *state)
{
    size_t bytes = (size_t)1 << draw(state) % 4;
    while (bytes > size)
        bytes /= 2;
    const size_t grain = draw(state) % 2 ? 1 : bytes < 4 ? bytes : 4;
    uint8_t *at = data + draw(state) % ((size - bytes) / grain + 1) * grain;
    const uint64_t value = take(at, bytes);
    switch (draw(state) % 7) {
    case 0:
        put(at, boundary(state), bytes);
        return;
    case 1:
        put(at, value + draw(state) % 33 - 16, bytes);
        return;
    case 2:
        put(at, value ^ UINT64_C(1) << draw(state) % (8 * bytes), bytes);
        return;
    case 3:
        put(at, draw(state), bytes);
        return;
    case 4:
        put(at, take(data + draw(state) % (size - bytes + 1), bytes), bytes);
        return;
    case 5:
        put(at, draw(state) % 256, bytes);
        return;
    default:
        *at = (uint8_t) "0123456789abcdef"[draw(state) % 16]; /* of a text */
    }
}

/* What libFuzzer would do, which knows what the code compared with, and no byte behind them moves. */
static void change_in_place(uint8_t *data, size_t size)
{
    uint8_t held[MOST_HEAD];
    memcpy(held, data, size);
    memcpy(data, held, LLVMFuzzerMutate(held, size, size));
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    uint64_t state = seed;
    size_t head = fuzz_head(data, size);
    head = head < size ? head : size;
    head = head < MOST_HEAD ? head : MOST_HEAD;
    if (!head || draw(&state) % 2)
        return LLVMFuzzerMutate(data, size, most);
    if (draw(&state) % 4 == 0)
        change_in_place(data, head);
    else
        for (uint64_t times = 1 + draw(&state) % 2; times; times--)
            change_number(data, head, &state);
    return size;
}
