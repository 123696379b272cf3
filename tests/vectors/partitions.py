#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The digests and parts of docs/partitions.md once more, from its text and Python's standard library alone.

usage: partitions.py docs/partitions.md
"""
import hashlib
import sys

M64 = (1 << 64) - 1


def word(data, at=0, size=8):
    return int.from_bytes(data[at:at + size], "little")


def rotl(x, by, bits=64):
    return (x << by | x >> (bits - by)) & ((1 << bits) - 1)


# ---- XXH3-128 of up to 16 bytes ----

SECRET = bytes.fromhex(
    "b8fe6c3923a44bbe7c01812cf721ad1cded46de9839097db7240a4a4b7b3671f"
    "cb79e64eccc0e578825ad07dccff7221b8084674f743248ee03590e6813a264c"
    "3c2852bb91c300cb88d0658b1b532ea371644897a20df94e3819ef46a9deacd8")
PRIME32_2 = 0x85EBCA77
PRIME1, PRIME2, PRIME3 = 0x9E3779B185EBCA87, 0xC2B2AE3D27D4EB4F, 0x165667B19E3779F9


def avalanche64(h):
    h = (h ^ h >> 33) * PRIME2 & M64
    h = (h ^ h >> 29) * PRIME3 & M64
    return h ^ h >> 32


def avalanche3(h):
    h = (h ^ h >> 37) * 0x165667919E3779F9 & M64
    return h ^ h >> 32


def flip(at, size=8):
    return word(SECRET, at, size) ^ word(SECRET, at + size, size)


def xxh3(key, seed):
    size = len(key)
    if size > 16:
        raise ValueError("only keys of up to 16 bytes")
    if size == 0:
        return avalanche64(seed ^ flip(64)), avalanche64(seed ^ flip(80))
    if size < 4:
        low = key[0] << 16 | key[size >> 1] << 24 | key[-1] | size << 8
        high = rotl(int.from_bytes(low.to_bytes(4, "little"), "big"), 13, 32)
        return (avalanche64(low ^ (flip(0, 4) + seed & M64)), avalanche64(high ^ (flip(8, 4) - seed & M64)))
    if size < 9:
        seed ^= int.from_bytes((seed & 0xFFFFFFFF).to_bytes(4, "little"), "big") << 32
        keyed = (word(key, 0, 4) + (word(key, size - 4, 4) << 32)) ^ (flip(16) + seed & M64)
        product = keyed * (PRIME1 + (size << 2))
        low, high = product & M64, product >> 64
        high = high + (low << 1) & M64
        low ^= high >> 3
        low = (low ^ low >> 35) * 0x9FB21C651E98DF25 & M64
        return low ^ low >> 28, avalanche3(high)
    first, last = word(key), word(key, size - 8)
    product = (first ^ last ^ (flip(32) - seed & M64)) * PRIME1
    low, high = (product & M64) + (size - 1 << 54) & M64, product >> 64
    last ^= flip(48) + seed & M64
    high = high + last + (last & 0xFFFFFFFF) * (PRIME32_2 - 1) & M64
    low ^= int.from_bytes(high.to_bytes(8, "little"), "big")
    product = low * PRIME2
    return avalanche3(product & M64), avalanche3((product >> 64) + high * PRIME2 & M64)


# ---- SipHash-2-4 with 128 bits ----

def sip_round(v):
    v[0] = v[0] + v[1] & M64
    v[1] = rotl(v[1], 13) ^ v[0]
    v[0] = rotl(v[0], 32)
    v[2] = v[2] + v[3] & M64
    v[3] = rotl(v[3], 16) ^ v[2]
    v[0] = v[0] + v[3] & M64
    v[3] = rotl(v[3], 21) ^ v[0]
    v[2] = v[2] + v[1] & M64
    v[1] = rotl(v[1], 17) ^ v[2]
    v[2] = rotl(v[2], 32)


def siphash(key, prf_key):
    k0, k1 = word(prf_key), word(prf_key, 8)
    v = [k0 ^ 0x736F6D6570736575, k1 ^ 0x646F72616E646F6D ^ 0xEE, k0 ^ 0x6C7967656E657261, k1 ^ 0x7465646279746573]
    whole = len(key) // 8 * 8
    words = [word(key, i) for i in range(0, whole, 8)] + [word(key[whole:]) | (len(key) & 255) << 56]
    for m in words:
        v[3] ^= m
        sip_round(v)
        sip_round(v)
        v[0] ^= m
    out = []
    for lane, mark in ((2, 0xEE), (1, 0xDD)):
        v[lane] ^= mark
        for _ in range(4):
            sip_round(v)
        out.append(v[0] ^ v[1] ^ v[2] ^ v[3])
    return tuple(out)


# ---- AES-128-CMAC, RFC 4493 ----

def double8(a):
    return (a << 1) ^ (0x11B if a & 128 else 0)


def sbox_table():
    box, p, q = [0] * 256, 1, 1
    while True:
        p ^= double8(p)
        for shift in (1, 2, 4):
            q ^= q << shift
        q &= 255
        q ^= 9 if q & 128 else 0
        box[p] = q ^ rotl(q, 1, 8) ^ rotl(q, 2, 8) ^ rotl(q, 3, 8) ^ rotl(q, 4, 8) ^ 0x63
        if p == 1:
            box[0] = 0x63
            return box


SBOX = sbox_table()


def round_keys(key):
    keys, rcon = [list(key[i:i + 4]) for i in range(0, 16, 4)], 1
    while len(keys) < 44:
        last = list(keys[-1])
        if len(keys) % 4 == 0:
            last = [SBOX[b] for b in last[1:] + last[:1]]
            last[0] ^= rcon
            rcon = double8(rcon)
        keys.append([a ^ b for a, b in zip(keys[-4], last)])
    return [sum(keys[i:i + 4], []) for i in range(0, 44, 4)]


def aes(key, block):
    keys = round_keys(key)
    s = [a ^ b for a, b in zip(block, keys[0])]
    for number in range(1, 11):
        s = [SBOX[s[(i + 4 * (i % 4)) % 16]] for i in range(16)]
        if number < 10:
            mixed = []
            for c in range(0, 16, 4):
                a = s[c:c + 4]
                mixed += [double8(a[i]) ^ double8(a[(i + 1) % 4]) ^ a[(i + 1) % 4] ^ a[(i + 2) % 4] ^ a[(i + 3) % 4]
                          for i in range(4)]
            s = mixed
        s = [a ^ b for a, b in zip(s, keys[number])]
    return bytes(s)


def double_block(block):
    n = int.from_bytes(block, "big") << 1
    return (n & (1 << 128) - 1 ^ (0x87 if n >> 128 else 0)).to_bytes(16, "big")


def cmac(key, prf_key):
    mask = double_block(aes(prf_key, bytes(16)))
    whole = max(len(key) - 1, 0) // 16 * 16
    last = key[whole:]
    if len(last) < 16:
        mask = double_block(mask)
        last = last + b"\x80" + bytes(15 - len(last))
    state = bytes(16)
    for block in [key[i:i + 16] for i in range(0, whole, 16)] + [bytes(a ^ b for a, b in zip(last, mask))]:
        state = aes(prf_key, bytes(a ^ b for a, b in zip(state, block)))
    return word(state), word(state, 8)


# ---- the rules of the page ----

NUMBERS = {"siphash": 3, "aes": 4}


def prf_key(secret, seed, name):
    text = b"filter hash\0" + seed.to_bytes(8, "little") + NUMBERS[name].to_bytes(2, "little")
    return hashlib.blake2b(text, key=secret, digest_size=32).digest()[:16]


def digest(name, secret, seed, key):
    if name == "xxh3":
        return xxh3(key, seed)
    return (siphash if name == "siphash" else cmac)(key, prf_key(secret, seed, name))


def part(high, parts):
    return high * parts >> 64


def main():
    seen = set()
    for line in open(sys.argv[1], encoding="utf-8"):
        cells = [cell.strip().strip("`") for cell in line.split("|")[1:-1]]
        if len(cells) != 6 or cells[0] not in ("xxh3", "siphash", "aes"):
            continue
        name, secret, seed, key, want, where = cells
        low, high = digest(name, bytes.fromhex(secret), int(seed, 16), key.encode())
        got = (low.to_bytes(8, "little") + high.to_bytes(8, "little")).hex()
        if got != want or str(part(high, 16)) != where:
            sys.exit(f"{name}, seed {seed}, key '{key}': {got}, part {part(high, 16)}; the page says {want}, {where}")
        seen.add((name, len(key)))
    if {name for name, _ in seen} != {"xxh3", "siphash", "aes"} or len(seen) < 12:
        sys.exit(f"{sys.argv[1]}: has vectors for {sorted(seen)} only")
    print(f"{len(seen)} vectors")


if __name__ == "__main__":
    main()
