#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Speed beside Python's other filters, in one run: flor (Debian's python3-flor, DCSO's filter in Python) and a Bloom
filter over bitarray (python3-bitarray) with two hashes from blake2b. Nanoseconds a key, best of three.

usage: PYTHONPATH=BUILD/python/site run.py [KEYS]        default 100000; the array has ten times as many
"""

import hashlib
import sys
import time

import ultrafilter

count = int(float(sys.argv[1])) if len(sys.argv) > 1 else 100_000
words = [f"key {i}" for i in range(count)]
others = [f"other {i}" for i in range(count)]
binary = [word.encode() for word in words]


def best(call, keys):
    times = []
    for _ in range(3):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times) / keys * 1e9


def one_by_one(container, keys):
    def call():
        for key in keys:
            key in container
    return call


class OverBitarray:
    def __init__(self, n, bits_per_key=14.4, k=10):
        from bitarray import bitarray
        self.size, self.k = int(n * bits_per_key), k
        self.bits = bitarray(self.size)
        self.bits.setall(0)

    def _positions(self, key):
        digest = hashlib.blake2b(key, digest_size=16).digest()
        a, b = int.from_bytes(digest[:8], "little"), int.from_bytes(digest[8:], "little")
        return [(a + i * b) % self.size for i in range(self.k)]

    def add(self, key):
        for position in self._positions(key):
            self.bits[position] = 1

    def __contains__(self, key):
        return all(self.bits[position] for position in self._positions(key))


def report(name, add, single, many=None, array=None):
    cells = [f"{value:9.0f}" if value else "        -" for value in (add, single, many, array)]
    print(f"{name:<28}", *cells, flush=True)


print(f"{'ns a key':<28} {'add':>9} {'in':>9} {'list':>9} {'array':>9}")
for spec in ("blocked:n={},fpr=0.001", "bloom:n={},fpr=0.001"):
    f = ultrafilter.Filter(spec.format(count))
    add = best(lambda: [f.add(word) for word in words], count)
    array = None
    try:
        import numpy
        numbers = numpy.arange(10 * count, dtype=numpy.uint64)
        array = best(lambda: f.query(numbers), 10 * count)
    except ImportError:
        pass
    report(spec.split(":")[0], add, best(one_by_one(f, words), count), best(lambda: f.query(words), count), array)
try:
    import flor
    peer = flor.BloomFilter(n=count, p=0.001)
    add = best(lambda: [peer.add(key) for key in binary], count)
    report("flor", add, best(one_by_one(peer, binary), count))
except ImportError:
    print("flor: not installed")
try:
    peer = OverBitarray(count)
    add = best(lambda: [peer.add(key) for key in binary], count)
    report("bitarray and blake2b", add, best(one_by_one(peer, binary), count))
except ImportError:
    print("bitarray: not installed")
known = set(words)
report("set, for comparison", None, best(one_by_one(known, words), count))
