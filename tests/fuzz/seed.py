#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A file as an input of a harness, for its corpus: without what the harness puts there itself.

usage: seed.py HARNESS FILE [FLAGS] > INPUT      FLAGS: the bytes that come first, in hexadecimal
"""
import struct
import sys

HEADER = 4096


def filter_input(data, flags):
    if data[1:4] != b"UFL":
        raise SystemExit("not a .uf file: write compact values as .uf files first")
    (payload,) = struct.unpack_from("<Q", data, 32)
    (features,) = struct.unpack_from("<I", data, 16)
    (nodes,) = struct.unpack_from("<I", data, 44)
    header = data[8 : 48 + nodes]
    if features & 512:  # a note follows the nodes: say where they end
        header = data[8 : HEADER - 8].rstrip(b"\0")
        flags = bytes([flags[0] | 8]) + flags[1:]
    return flags + struct.pack("<H", len(header)) + header + data[HEADER : HEADER + payload]


def model_input(data, flags):
    return flags + data[8:120] + data[128:-8]


def ledger_input(data, flags):
    return flags + data[: data.rindex(b"\n", 0, -1) + 1]


INPUTS = {"filter": (filter_input, "0017"), "model": (model_input, "00"), "ledger": (ledger_input, "02")}


def main():
    make, flags = INPUTS.get(sys.argv[1], (lambda data, first: first + data, "01"))
    with open(sys.argv[2], "rb") as file:
        data = file.read()
    sys.stdout.buffer.write(make(data, bytes.fromhex(sys.argv[3] if len(sys.argv) > 3 else flags)))


main()
