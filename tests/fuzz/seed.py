#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""A file as an input of a harness, for its corpus: without what the harness puts there itself.

usage: seed.py HARNESS FILE [FLAGS] > INPUT      FLAGS: the bytes that come first, in hexadecimal
"""
import json
import struct
import sys

HEADER = 4096


def sealed(data):
    """A .uf file as sealed.h has it, and whether it says where its description ends."""
    if data[1:4] != b"UFL":
        raise SystemExit("not a .uf file: write compact values as .uf files first")
    (payload,) = struct.unpack_from("<Q", data, 32)
    (features,) = struct.unpack_from("<I", data, 16)
    (nodes,) = struct.unpack_from("<I", data, 44)
    header = data[8 : 48 + nodes]
    if features & 512:  # a note follows the nodes
        header = data[8 : HEADER - 8].rstrip(b"\0")
    return struct.pack("<H", len(header)) + header + data[HEADER : HEADER + payload], bool(features & 512)


def filter_input(data, flags):
    body, noted = sealed(data)
    return bytes([flags[0] | 8 * noted]) + flags[1:] + body


def restore_input(data, flags):
    """The figures of a value of UF.*, with one filter."""
    body, _ = sealed(data)
    return flags + b"\1" + bytes(56) + struct.pack("<H", len(body)) + body


def builder_input(data, flags):
    body = data[728:]
    (form,) = struct.unpack_from("<I", data, 12)
    return flags + b"\0\0" + (body[:-8] if form == 1 else sealed(body)[0])


def reply(value):
    """A reply of servers.h: a number, a text, {"error": text}, null, or a list of them."""
    def tagged(kind, size, rest=b""):
        return (bytes([size << 3 | kind]) if size < 31 else bytes([31 << 3 | kind, size - 31])) + rest

    if value is None:
        return tagged(3, 9)
    if isinstance(value, int):
        size = (value.bit_length() + 7) // 8
        return tagged(3, size, value.to_bytes(size, "little"))
    if isinstance(value, list):
        return tagged(4, len(value), b"".join(map(reply, value)))
    text = (value["error"] if isinstance(value, dict) else value).encode("latin-1")
    return tagged(1 if isinstance(value, dict) else 0, len(text), text)


def cluster_input(data, flags):
    """Replies in JSON, one a line; bytes are characters of Latin-1."""
    return flags + b"".join(reply(json.loads(line)) for line in data.decode().splitlines())


def model_input(data, flags):
    return flags + data[8:120] + data[128:-8]


def ledger_input(data, flags):
    return flags + data[: data.rindex(b"\n", 0, -1) + 1]


INPUTS = {
    "filter": (filter_input, "0017"),
    "model": (model_input, "00"),
    "ledger": (ledger_input, "02"),
    "builder": (builder_input, "00"),
    "restore": (restore_input, "0000"),
    "cluster": (cluster_input, "0000"),
    "signature": (lambda data, _: data, ""),
    "serial": (lambda data, _: data, ""),
}


def main():
    make, flags = INPUTS.get(sys.argv[1], (lambda data, first: first + data, "01"))
    with open(sys.argv[2], "rb") as file:
        data = file.read()
    sys.stdout.buffer.write(make(data, bytes.fromhex(sys.argv[3] if len(sys.argv) > 3 else flags)))


main()
