# SPDX-License-Identifier: MIT
"""Items that RedisBloom accepts about half the time, whatever its error rate is and whatever was added: without a look at
the server. It sets the bits (a + i b) mod m with a = MurmurHash64A(item, SEED) and b = MurmurHash64A(item, a), and for
these items b is 0, so that all of them are one bit."""
import random

M = 0xC6A4A7935BD1E995
SEED = 0xC6A4A7935BD1E995
MASK = (1 << 64) - 1
INVERSE = pow(M, -1, 1 << 64)


def shift(h):
    return h ^ h >> 47


def murmur(data, seed):
    """MurmurHash64A of 16 bytes."""
    h = seed ^ (len(data) * M & MASK)
    for at in (0, 8):
        k = int.from_bytes(data[at:at + 8], "little")
        h = ((h ^ shift(k * M & MASK) * M & MASK) * M) & MASK
    return shift(shift(h) * M & MASK)


def solve(d, t):
    """x with (x M) ^ ((x ^ d) M) = t, bit by bit: bit i of that depends on bits of x below i only."""
    stack = [(0, 0)]
    while stack:
        x, bit = stack.pop()
        if ((x * M ^ (x ^ d & ((2 << bit) - 1)) * M) ^ t) >> bit & 1:
            continue
        if bit == 63:
            return x
        stack += [(x, bit + 1), (x | 1 << bit, bit + 1)]
    return None


def block(mixed):
    """The 8 bytes that MurmurHash64A mixes to this."""
    return (shift(mixed * INVERSE & MASK) * INVERSE & MASK).to_bytes(8, "little")


def forge(count, seed):
    draw, items = random.Random(seed), []
    while len(items) < count:
        a = draw.getrandbits(64)
        first, second = SEED ^ 16 * M & MASK, a ^ 16 * M & MASK
        goal = shift(shift(a) * INVERSE & MASK) * INVERSE & MASK  # before the last product; 0 for a hash of 0
        x = solve(first ^ second, goal)
        if x is not None:
            items.append(block(x ^ first) + block((x * M & MASK) ^ goal))
    assert all(murmur(item, murmur(item, SEED)) == 0 for item in items)
    return items
