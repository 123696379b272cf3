# SPDX-License-Identifier: MIT
"""The extension through Python's sqlite3 module. usage: test_extension.py EXTENSION PROGRAM"""

import json
import os
import sqlite3
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest

EXTENSION, PROGRAM = sys.argv[1:3]
FEW = bool(os.environ.get("UF_FEW"))  # under valgrind


def connect():
    db = sqlite3.connect(":memory:", check_same_thread=False)
    db.enable_load_extension(True)
    db.load_extension(EXTENSION)
    return db


class Extension(unittest.TestCase):
    def setUp(self):
        self.db = connect()
        self.addCleanup(self.db.close)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.db.execute("create table t(k)")
        self.db.executemany("insert into t values (?)", [(f"k{i}",) for i in range(500)] + [(i,) for i in range(500)] +
                            [(b"\0raw",), (None,), ("x" * 100_000,)])
        self.db.commit()

    def one(self, sql, *values):
        return self.db.execute(sql, values).fetchone()[0]

    def build(self, spec="blocked:n=2000,fpr=0.001,seed=0x5", where="1"):
        return self.one(f"select uf_build(k, ?) from t where {where}", spec)

    def refused(self, words, sql, *values, kind=sqlite3.DatabaseError):
        with self.assertRaisesRegex(kind, words) as caught:
            self.db.execute(sql, values).fetchall()
        return caught.exception

    def test_build_and_query(self):
        f = self.build()
        self.assertEqual(self.one("select sum(uf_query(?, k)) from t", f), 1002)
        self.assertEqual(self.one("select uf_query(?, ?)", f, struct.pack("<q", 7)), 1)  # an integer is eight bytes
        self.assertEqual(self.one("select uf_query(?, '7')", f), 0)
        self.assertEqual(self.one("select uf_query(?, cast('k7' as blob))", f), 1)
        self.assertIsNone(self.one("select uf_query(?, null)", f))
        self.assertIsNone(self.one("select uf_query(null, 1)"))
        self.assertIsNone(self.one("select uf_build(k, 'bloom:n=10') from t where 0"))

    def test_columns(self):
        """Filters in a column, more of them than are remembered, each with its own answers."""
        self.db.execute("create table f(i, b)")
        for i in range(7):
            self.db.execute("insert into f values (?, ?)", (i, self.build("bloom:n=100,fpr=0.0001,seed=0x1", f"k = 'k{i}'")))
        rows = self.db.execute("select i, j.value, uf_query(b, 'k' || j.value) from f, json_each('[0,1,2,3,4,5,6]') j").fetchall()
        self.assertTrue(all((i == j) == bool(found) for i, j, found in rows))
        self.assertEqual(len(rows), 49)
        union = self.one("select uf_union(b) from f")
        self.assertEqual([self.one("select uf_query(?, ?)", union, f"k{i}") for i in range(9)], [1] * 7 + [0] * 2)
        self.assertIsNone(self.one("select uf_union(null)"))
        self.refused("", "select uf_union(b) from (select b from f union all select ?)", self.build("bloom:n=200"))

    def test_values_are_small(self):
        """Ten keys take less than 200 bytes; the file of the same filter has a header of 4096, and the same answers."""
        f = self.build("blocked:n=10,fpr=0.01,seed=0x5", "k in ('k1', 'k2', 'k3')")
        whole = self.one("select uf_file(?)", f)
        path = os.path.join(self.folder, "small.uf")
        subprocess.run([PROGRAM, "build", "-q", "-o", path, "--spec", "blocked:n=10,fpr=0.01,seed=0x5"], input=b"k1\nk2\nk3\n", check=True)
        with open(path, "rb") as file:
            self.assertEqual(file.read(), whole)
        self.assertLess(len(f), 200)
        self.assertEqual(len(whole) - len(f), 4096 - struct.unpack_from("<H", f, 16)[0])
        self.assertEqual([self.one("select sum(uf_query(?, k)) from t", g) for g in (f, whole)], [3, 3])
        self.assertEqual(self.one("select uf_union(g) from (select ? as g union all select ?)", f, whole), f)
        self.assertIsNone(self.one("select uf_file(null)"))

    def test_names(self):
        path = os.path.join(self.folder, "f.uf")
        with open(path, "wb") as file:
            file.write(self.one("select uf_file(?)", self.build()))
        self.one("select uf_open('mine', ?)", path)
        self.assertEqual(self.one("select uf_query('mine', 'k3')"), 1)
        self.db.execute("create view v as select uf_open('other', 'x') as o")
        self.refused("unsafe", "select o from v")
        self.db.enable_load_extension(False)
        self.refused("may load extensions", "select uf_open('mine', ?)", path)
        self.refused("may load extensions", "select uf_key_file(?)", path)
        self.refused("may load extensions", "select uf_publish(k, 'dpset:n=2000,epsilon=3', ?, 'd', 3) from t", path)
        self.assertEqual(self.one("select uf_query('mine', 'k3')"), 1)
        self.assertEqual(self.one("select uf_close('mine')"), 1)
        self.refused("no filter 'mine'", "select uf_query('mine', 'k3')")

    def test_describe(self):
        info = json.loads(self.one("select uf_info(?)", self.build()))
        self.assertEqual((info["kind"], info["capacity"]), ("blocked", 2000))
        self.assertAlmostEqual(info["count_estimate"], 1002, delta=60)
        claim = json.loads(self.one("select uf_claim(?)", self.build("dpset:n=2000,epsilon=3")))
        self.assertAlmostEqual(claim["epsilon"], 3, 3)
        rows = self.db.execute("select mechanism, spec from uf_designs(3, 1000)").fetchall()
        self.assertEqual(rows[0][0], "dpset")
        self.refused("two arguments", "select * from uf_designs(3)")
        self.refused("epsilon", "select * from uf_designs(-3, 10)")

    def test_bad_values(self):
        f = self.build()
        damaged = bytearray(f)
        damaged[len(f) // 2] ^= 1
        self.assertEqual(self.one("select uf_query(?, 'absent?')", f), 0)  # the good one is in memory now
        self.assertEqual(self.refused("", "select uf_query(?, 'a')", bytes(damaged)).sqlite_errorname, "SQLITE_FORMAT")
        for bad in (f[:1000], f[:-1], b"", b"\0" * 5000):
            self.refused("", "select uf_query(?, 'a')", bad)
            self.refused("", "select uf_info(?)", bad)
        self.refused("floating", "select uf_query(?, 1.5)", f)
        self.refused("floating", "select uf_build(1.5, 'bloom:n=10')")
        self.refused("", "select uf_build('a', 'nonsense')")
        self.refused("name", "select uf_query(5, 'a')")

    def test_publish(self):
        ledger = os.path.join(self.folder, "l.ufl")
        publish = "select uf_publish(k, 'dpset:n=2000,epsilon=3', ?, 'd', 5) from t"
        self.db.execute("begin")
        f = self.one(publish, ledger)
        self.assertGreater(len(f), 1000)
        error = self.refused("budget", publish, ledger)
        self.assertEqual(error.sqlite_errorname, "SQLITE_CONSTRAINT")
        self.db.rollback()  # takes no charge back: the ledger is a file
        self.refused("budget", publish, ledger)
        self.refused("not private", "select uf_publish(k, 'bloom:n=10', ?, 'd', 5) from t", ledger)

    def test_keyed(self):
        paths = [os.path.join(self.folder, name) for name in ("a.key", "b.key")]
        for path in paths:
            subprocess.run([PROGRAM, "keygen", "-o", path], check=True, stdout=subprocess.DEVNULL)
        self.refused("key", "select uf_build(k, 'keyed(bloom:n=2000)') from t")
        self.one("select uf_key_file(?)", paths[0])
        f = self.build("keyed(bloom:n=2000)")
        self.assertEqual(self.one("select uf_query(?, 'k3')", f), 1)
        self.one("select uf_key_file(?)", paths[1])
        self.assertEqual(self.refused("key", "select uf_query(?, 'k3')", f).sqlite_errorname, "SQLITE_AUTH")
        os.environ["ULTRAFILTER_KEY_FILE"] = paths[0]
        try:
            other = connect()
        finally:
            del os.environ["ULTRAFILTER_KEY_FILE"]
        self.assertEqual(other.execute("select uf_query(?, 'k3')", (f,)).fetchone()[0], 1)
        other.close()

    @unittest.skipIf(FEW, "takes time")
    def test_interrupt(self):
        """Between rows, and within a build that has all of them and would take seven seconds: both are ended, soon."""
        rows = "with recursive c(i) as (select 1 union all select i+1 from c limit {}) select uf_build(i, '{}') from c"
        for count, spec in ((10**12, "bloom:n=1e6"), (10, "dpset:n=1e8,epsilon=3")):
            threading.Timer(0.2, self.db.interrupt).start()
            start = time.monotonic()
            self.assertEqual(self.refused("interrupted", rows.format(count, spec)).sqlite_errorname, "SQLITE_INTERRUPT")
            self.assertLess(time.monotonic() - start, 3)
        self.assertEqual(self.one("select uf_query(?, 'k3')", self.build()), 1)  # and nothing else is



if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=0)
