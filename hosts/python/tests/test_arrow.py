# SPDX-License-Identifier: MIT
"""Keys from Arrow's C data interface: PYTHONPATH is where the wheel was unpacked."""

import array
import unittest

from arrow_column import Column, Stream
from live import check_none_is_left
from ultrafilter import Filter

WORDS = [f"key {i}" for i in range(1000)] + ["", "żółw", "nul\0inside"]
SPEC = "blocked:n=4000,fpr=0.001,seed=0x7"


def bits(valid):
    out = bytearray((len(valid) + 7) // 8)
    for i, one in enumerate(valid):
        out[i // 8] |= bool(one) << i % 8
    return bytes(out)


class Arrays(unittest.TestCase):
    def setUp(self):
        self.filter = Filter(SPEC, [*WORDS[::2], *range(-50, 200)])
        self.expected = [word in self.filter for word in WORDS]

    def test_strings(self):
        """Narrow and wide offsets, strings and binaries, from the beginning and as a slice."""
        for wide in (False, True):
            for binary in (False, True):
                for before in ((), ("not this", "nor that"), WORDS[:70]):
                    column = Column.strings(WORDS, wide, binary, before)
                    self.assertEqual(list(self.filter.query(column)), self.expected)
                    self.assertEqual(bytes(Filter(SPEC, Column.strings(WORDS[::2], wide, binary, before))), bytes(Filter(SPEC, WORDS[::2])))
        self.assertEqual(list(self.filter.query(Column.strings([]))), [])

    def test_integers(self):
        """Every width is the same key, of eight bytes."""
        for letter, code, numbers in (("c", "b", range(-50, 100)), ("C", "B", range(250)), ("s", "h", range(-50, 999)), ("S", "H", range(999)),
                                      ("i", "i", range(-50, 999)), ("I", "I", range(999)), ("l", "q", range(-50, 999)), ("L", "Q", range(999))):
            column = Column(letter.encode(), [None, array.array(code, numbers).tobytes()], len(numbers) - 7, offset=7)
            self.assertEqual(list(self.filter.query(column)), [i in self.filter for i in numbers[7:]], letter)

    def test_fixed(self):
        column = Column(b"w:6", [None, b"......key 10key 11nope!!"], 3, offset=1)
        self.assertEqual(list(self.filter.query(column)), [True, "key 11" in self.filter, False])

    def test_nulls(self):
        """A null is no key; one outside of the slice is nobody's business, and a bitmap without nulls is none."""
        some, none = bits([1, 1, 0, 1] + [1] * 8), bits([0, 0] + [1] * 10)
        strings = WORDS[:10]
        for valid, nulls in ((some, 1), (some, -1)):
            with self.assertRaisesRegex(ValueError, "nulls"):
                self.filter.query(Column.strings(strings, before=WORDS[20:22], valid=valid, nulls=nulls))
        for valid, nulls in ((none, -1), (none, 0), (None, -1), (None, 0)):
            answers = self.filter.query(Column.strings(strings, before=WORDS[20:22], valid=valid, nulls=nulls))
            self.assertEqual(list(answers), self.expected[:10])

    def test_other_types(self):
        for kind, buffers in ((b"g", 2), (b"b", 2), (b"tdD", 2), (b"+s", 1), (b"+l", 2), (b"vu", 3), (b"n", 0)):
            with self.assertRaisesRegex(TypeError, "cast"):
                self.filter.query(Column(kind, [None, *[b"\0" * 16] * (buffers - 1)][:buffers], 1))
        with self.assertRaisesRegex(TypeError, "dictionary"):
            self.filter.query(Column(b"i", [None, b"\0" * 8], 2, dictionary=True))

    def test_damaged(self):
        """Offsets that fall, buffers that are missing, arrays that were read before, capsules that are none."""
        for call in (self.filter.query, Filter("counting:n=10", []).add, Filter("counting:n=10", []).remove, lambda keys: Filter(SPEC, keys)):
            with self.assertRaisesRegex(ValueError, "offsets"):
                call(Column(b"u", [None, array.array("i", [0, 4, 2]).tobytes(), b"abcd"], 2))
        with self.assertRaisesRegex(ValueError, "damaged"):
            self.filter.query(Column(b"u", [None, b"\0" * 8], 1))
        with self.assertRaisesRegex(ValueError, "damaged"):
            self.filter.query(Column(b"l", [None, b"\0" * 8], -1))
        column = Column.strings(WORDS)
        column.array.release = None
        with self.assertRaisesRegex(ValueError, "released"):
            self.filter.query(column)

        class NoCapsule:
            def __arrow_c_array__(self, requested_schema=None):
                return 1, 2

        with self.assertRaises((TypeError, ValueError)):
            self.filter.query(NoCapsule())


class Streams(unittest.TestCase):
    def setUp(self):
        self.filter = Filter(SPEC, WORDS[::2])

    def chunks(self):
        return [Column.strings(WORDS[:100]), Column.strings([]), Column.strings(WORDS[100:], before=["x"] * 9)]

    def test_chunks(self):
        stream = Stream(self.chunks())
        self.assertEqual(list(self.filter.query(stream)), [word in self.filter for word in WORDS])
        self.assertEqual(stream.released(), ([1, 1, 1], 1))
        stream = Stream(self.chunks())
        self.assertEqual(bytes(Filter(SPEC, stream)), bytes(Filter(SPEC, WORDS)))
        self.assertEqual(stream.released(), ([1, 1, 1], 1))

    def test_integers(self):
        chunks = [Column(b"l", [None, array.array("q", range(50)).tobytes()], 30, offset=start) for start in (0, 20)]
        self.assertEqual(list(Filter(SPEC, range(25)).query(Stream(chunks))), [True] * 25 + [False] * 5 + [True] * 5 + [False] * 25)

    def test_failures(self):
        """What was taken is given back, whatever goes wrong."""
        late = [Column.strings(WORDS[:9]), Column.strings(WORDS[:9], valid=b"\0\0", nulls=9), Column.strings(WORDS)]
        for stream, error, words, released in ((Stream(late), ValueError, "nulls", ([1, 1, 0], 1)),
                                               (Stream(self.chunks(), "the disk is gone"), OSError, "the disk is gone", ([1, 1, 1], 1)),
                                               (Stream([Column(b"g", [None, b"\0" * 8], 1)]), TypeError, "cast", ([1], 1))):
            with self.assertRaisesRegex(error, words):
                self.filter.query(stream)
            self.assertEqual(stream.released(), released)
        used = Stream(self.chunks())
        used.stream.release = None
        with self.assertRaisesRegex(ValueError, "released"):
            self.filter.query(used)


def tearDownModule():
    check_none_is_left()


if __name__ == "__main__":
    unittest.main(verbosity=0)
