# SPDX-License-Identifier: MIT
"""Columns and streams in Arrow's C data interface, made by hand from its three structs: no library that has them is packaged
in Debian 12. Each counts how often it was released."""

import array
import ctypes

POINTER, INT64 = ctypes.c_void_p, ctypes.c_int64


class Schema(ctypes.Structure):
    _fields_ = [("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p), ("flags", INT64),
                ("n_children", INT64), ("children", POINTER), ("dictionary", POINTER), ("release", POINTER), ("private", POINTER)]


class Array(ctypes.Structure):
    _fields_ = [("length", INT64), ("null_count", INT64), ("offset", INT64), ("n_buffers", INT64), ("n_children", INT64),
                ("buffers", ctypes.POINTER(POINTER)), ("children", POINTER), ("dictionary", POINTER), ("release", POINTER),
                ("private", POINTER)]


class ArrayStream(ctypes.Structure):
    _fields_ = [("get_schema", POINTER), ("get_next", POINTER), ("get_last_error", POINTER), ("release", POINTER),
                ("private", POINTER)]


def capsule(struct, name):
    new = ctypes.pythonapi.PyCapsule_New
    new.restype, new.argtypes = ctypes.py_object, [POINTER, ctypes.c_char_p, POINTER]
    return new(ctypes.addressof(struct), name, None)


class Releases:
    """A release function for structs of one type: marks them as released, as the interface asks, and counts."""

    def __init__(self, struct):
        self.count = 0

        def release(at):
            self.count += 1
            struct.from_address(at).release = None

        self.function = ctypes.CFUNCTYPE(None, POINTER)(release)
        self.address = ctypes.cast(self.function, POINTER).value


class Column:
    def __init__(self, kind, buffers, length, offset=0, nulls=0, dictionary=False):
        self.kept = [None if b is None else ctypes.create_string_buffer(bytes(b), max(1, len(bytes(b)))) for b in buffers]
        self.pointers = (POINTER * len(buffers))(*[None if b is None else ctypes.addressof(b) for b in self.kept])
        self.schemas, self.arrays = Releases(Schema), Releases(Array)
        self.other = Schema(format=b"u", release=self.schemas.address)
        self.schema = Schema(format=kind, release=self.schemas.address,
                             dictionary=ctypes.addressof(self.other) if dictionary else None)
        self.array = Array(length=length, null_count=nulls, offset=offset, n_buffers=len(buffers),
                           buffers=ctypes.cast(self.pointers, ctypes.POINTER(POINTER)), release=self.arrays.address)

    def __arrow_c_array__(self, requested_schema=None):
        return capsule(self.schema, b"arrow_schema"), capsule(self.array, b"arrow_array")

    @classmethod
    def strings(cls, texts, wide=False, binary=False, before=(), **more):
        """`before` are values in front of the slice: its offset is not 0, nor is that of its first byte."""
        encoded, offsets = [t.encode() for t in (*before, *texts)], array.array("q" if wide else "i", [0])
        for one in encoded:
            offsets.append(offsets[-1] + len(one))
        kind = (b"Z" if wide else b"z") if binary else (b"U" if wide else b"u")
        return cls(kind, [more.pop("valid", None), offsets.tobytes(), b"".join(encoded)], len(texts), offset=len(before), **more)


class Stream:
    """A chunked array; `fails` after its last chunk with this text."""

    def __init__(self, chunks, fails=None):
        self.chunks, self.fails, self.at = chunks, fails and ctypes.create_string_buffer(fails.encode()), 0
        self.streams = Releases(ArrayStream)

        def get_schema(stream, out):
            ctypes.memmove(out, ctypes.addressof(chunks[0].schema), ctypes.sizeof(Schema))
            return 0

        def get_next(stream, out):
            if self.at == len(chunks):
                ctypes.memset(out, 0, ctypes.sizeof(Array))
                return 5 if fails else 0
            ctypes.memmove(out, ctypes.addressof(chunks[self.at].array), ctypes.sizeof(Array))
            self.at += 1
            return 0

        taking = ctypes.CFUNCTYPE(ctypes.c_int, POINTER, POINTER)
        self.functions = (taking(get_schema), taking(get_next),
                          ctypes.CFUNCTYPE(POINTER, POINTER)(lambda stream: self.fails and ctypes.addressof(self.fails)))
        self.stream = ArrayStream(*[ctypes.cast(function, POINTER).value for function in self.functions], self.streams.address)

    def __arrow_c_stream__(self, requested_schema=None):
        return capsule(self.stream, b"arrow_array_stream")

    def released(self):
        """How often each chunk was released, and the schema."""
        return [chunk.arrays.count for chunk in self.chunks], self.chunks[0].schemas.count
