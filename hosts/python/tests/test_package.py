# SPDX-License-Identifier: MIT
"""The package as a user has it, from the wheel: PYTHONPATH is where it was unpacked, UF_BUILD the build folder."""

import array
import copy
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import unittest

import ultrafilter
from live import check_none_is_left
from ultrafilter import Filter, Key

try:
    import numpy
except ImportError:
    numpy = None

SPEC = "blocked:n=2000,fpr=0.001,seed=0x7"
WORDS = [f"key {i}" for i in range(1000)]


class Keys(unittest.TestCase):
    """Whatever keys come in, they are the same bytes."""

    def setUp(self):
        self.filter = Filter(SPEC, [*WORDS[:500], *range(500), -1, b"\x00raw\x00", "żółw"])

    def test_one_by_one(self):
        f = self.filter
        self.assertTrue(all(word in f for word in WORDS[:500]))
        self.assertLess(sum(word in f for word in WORDS[500:]), 10)
        for same in ("żółw", "żółw".encode(), bytearray("żółw".encode()), memoryview("żółw".encode())):
            self.assertIn(same, f)
        for same in (7, (7).to_bytes(8, "little"), -1, 2**64 - 1, b"\xff" * 8):
            self.assertIn(same, f)
        self.assertNotIn("7", f)

    def test_what_is_no_key(self):
        for bad in (None, 1.5, True, object(), ["a"]):
            with self.assertRaises(TypeError):
                bad in self.filter
        for bad in (2**64, -2**63 - 1):
            with self.assertRaises(ValueError):
                bad in self.filter
        for bad in ("abc", b"abc", 5, None, ["a", None], 3.5, memoryview(b"abc")):
            with self.assertRaises(TypeError):
                self.filter.query(bad)

    def test_long_key(self):
        long = b"x" * 5_000_000
        self.filter.add(long)
        self.assertIn(long, self.filter)
        self.assertNotIn(long[:-1], self.filter)

    def test_iterables(self):
        expected = [word in self.filter for word in WORDS]
        for keys in (WORDS, tuple(WORDS), (w for w in WORDS), dict.fromkeys(WORDS), [w.encode() for w in WORDS]):
            answers = self.filter.query(keys)
            self.assertEqual((type(answers), answers.format, list(answers)), (memoryview, "?", expected))
        self.assertEqual(list(self.filter.query([])), [])
        self.assertEqual(len(self.filter.query(i for i in range(10_000))), 10_000)

    def test_buffers(self):
        expected = [i in self.filter for i in range(0, 1000)]
        for code in "hHiIlLqQ":
            self.assertEqual(list(self.filter.query(array.array(code, range(1000)))), expected, code)
        self.assertEqual(list(self.filter.query(array.array("b", [-1, 3]))), [True, True])
        with self.assertRaises(TypeError):
            self.filter.query(array.array("d", [1.0]))

    @unittest.skipUnless(numpy, "needs numpy")
    def test_numpy(self):
        f, numbers = self.filter, numpy.arange(1000)
        expected = numpy.array([i in f for i in range(1000)])
        for kind in ("<i8", ">i8", "<u8", "<i4", ">u2", "<i2"):
            answers = f.query(numbers.astype(kind))
            self.assertEqual(answers.dtype, bool)
            self.assertTrue((answers == expected).all(), kind)
        self.assertTrue((f.query(numbers[::-3]) == expected[::-3]).all())
        self.assertEqual(f.query(numbers[:0]).shape, (0,))
        for kind in ("S9", "U9", object):  # padded with NULs, which are not part of the key
            self.assertTrue((f.query(numpy.array(WORDS).astype(kind)) == [w in f for w in WORDS]).all(), kind)
        self.assertTrue(f.query(numpy.array(["żółw", "x"]))[0])
        rows = numpy.frombuffer(b"key 10key 11nope!!", dtype=numpy.uint8).reshape(3, 6)
        self.assertEqual(list(f.query(rows)), [True, True, False])
        self.assertEqual(list(f.query(rows.copy().view("V6").reshape(3))), [True, True, False])
        self.assertIn(numpy.int16(7), f)
        frozen = numbers[::2].copy()
        frozen.setflags(write=False)
        self.assertTrue((f.query(frozen) == expected[::2]).all())
        words = numpy.array(WORDS)
        for kind in ("S9", ">U9", "<U9"):  # every third, from the end
            self.assertTrue((f.query(words.astype(kind)[::-3]) == [w in f for w in WORDS[::-3]]).all(), kind)
        self.assertTrue((f.query(rows[::-2]) == [False, True]).all())
        table = numpy.zeros(3, [("id", "<i4"), ("other", "<f8")])
        table["id"] = (7, 8, 999)
        self.assertEqual(list(f.query(table["id"])), [True, True, 999 in f])
        misaligned = numpy.frombuffer(b"." + numbers.tobytes(), dtype="<i8", offset=1)
        self.assertTrue((f.query(misaligned) == expected).all())
        for bad in (table, numpy.zeros(2, bool), numpy.zeros(2, complex), numpy.asfortranarray(rows), numpy.array(7)):
            with self.assertRaises((TypeError, ValueError)):
                f.query(bad)
        for bad in (numpy.zeros(2), numpy.zeros((2, 2, 2), numpy.uint8), numpy.zeros(2, "M8[s]"), numpy.array(5.0)):
            with self.assertRaises((TypeError, ValueError)):
                f.query(bad)


    def test_iterables_that_use_the_filter(self):
        """Keys come from code that asks, changes or closes the very filter that waits for them."""
        f = Filter(SPEC)

        def keys():
            for word in WORDS[:500]:
                f.add(word + "!")
                yield word

        f.add(keys())
        self.assertTrue(all(f.query([*WORDS[:500], *(word + "!" for word in WORDS[:500])])))
        with self.assertRaisesRegex(ValueError, "closed"):
            f.query(f.close() or word for word in WORDS)
        with self.assertRaises(ZeroDivisionError):
            self.filter.query(1 // (5 - i) for i in range(9))
        many = list(range(300_000))
        self.assertEqual(len(self.filter.query(many)), 300_000)


class Changes(unittest.TestCase):
    def test_add(self):
        f = Filter(SPEC)
        self.assertEqual([f.add("a"), f.add("a"), list(f.add(["a", "b", "b"]))], [True, False, [False, True, False]])
        f.update(["c"], array.array("q", [1, 2]))
        self.assertTrue("c" in f and 2 in f)
        self.assertEqual(f.count, 5)

    def test_full(self):
        f = Filter("blocked:n=100,full=refuse")
        with self.assertRaises(ultrafilter.FullError) as caught:
            f.add(WORDS[:150])
        answers = list(caught.exception.answers)
        self.assertEqual((caught.exception.status, len(answers), answers[0], answers[-1]), (-7, 150, 1, -7))

    def test_remove(self):
        f = Filter("counting:n=1000", WORDS[:10])
        f.remove(WORDS[0])
        f.remove(WORDS[1:3])
        self.assertEqual(list(f.query(WORDS[:4])), [False, False, False, True])
        with self.assertRaises(KeyError) as caught:
            f.remove("never")
        self.assertIsInstance(caught.exception, ultrafilter.AbsentError)
        with self.assertRaises(TypeError):
            Filter(SPEC).remove("a")

    def test_union(self):
        f = Filter(SPEC, ["a"])
        g = Filter(f.spec, ["b"])
        self.assertEqual([list(h.query(["a", "b", "c"])) for h in (f | g, f.union(g))], [[True, True, False]] * 2)
        f |= g
        self.assertIn("b", f)
        with self.assertRaises(ultrafilter.MismatchError):
            f |= Filter("blocked:n=2000,fpr=0.001", ["c"])
        with self.assertRaises(TypeError):
            f |= {"a"}

    def test_window(self):
        f = Filter("bloom:n=100,window=2", ["a"])
        f.rotate()
        self.assertIn("a", f)
        f.rotate()
        self.assertNotIn("a", f)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, "f.uf")
        self.folder = folder.name

    def test_round_trips(self):
        f = Filter(SPEC, WORDS[:500])
        f.save(self.path)
        with open(self.path, "rb") as file:
            data = file.read()
        for same in (Filter.load(self.path), Filter.load(self.path, map=True), Filter.loads(data),
                     Filter.loads(data, copy=False), pickle.loads(pickle.dumps(f)), copy.copy(f), copy.deepcopy(f)):
            self.assertEqual(list(same.query(WORDS)), list(f.query(WORDS)))
            self.assertEqual((bytes(same), same.fingerprint()), (data, f.fingerprint()))
        self.assertEqual(bytes(memoryview(f)), data)
        with self.assertRaises(ultrafilter.ReadOnlyError):
            Filter.load(self.path, map=True).add("x")

    def test_bad_files(self):
        with self.assertRaises(FileNotFoundError) as caught:
            Filter.load(self.path)
        self.assertEqual((caught.exception.errno, caught.exception.status), (2, -3))
        self.assertIn(self.path, str(caught.exception))
        data = bytearray(bytes(Filter(SPEC, WORDS)))
        data[5000] ^= 1
        for bad in (data, data[:4000], b"", b"\0" * 5000):
            for copied in (True, False):
                with self.assertRaises((ultrafilter.FormatError, ultrafilter.InvalidError)) as caught:
                    Filter.loads(bytes(bad), copy=copied)
        again = pickle.loads(pickle.dumps(caught.exception))
        self.assertEqual((str(again), again.status), (str(caught.exception), caught.exception.status))

    def test_closed(self):
        with Filter(SPEC, ["a"]) as f:
            self.assertIn("a", f)
        self.assertTrue(f.closed)
        for call in (lambda: "a" in f, lambda: f.query(["a"]), lambda: f.add("b"), f.info, f.dumps, lambda: f.spec):
            with self.assertRaises(ValueError):
                call()
        repr(f)
        f.close()

    def test_small_bytes(self):
        """Pickles are compact: ten keys are 200 bytes and not a page more. Both forms are read, and give the same file."""
        f = Filter("blocked:n=10,fpr=0.01", WORDS[:10])
        small = f.dumps(compact=True)
        self.assertLess(len(small), 200)
        self.assertLess(len(pickle.dumps(f)), 300)
        self.assertGreater(len(f.dumps()), 4096)
        for same in (Filter.loads(small), Filter.loads(f.dumps()), pickle.loads(pickle.dumps(f))):
            self.assertEqual((bytes(same), same.dumps(compact=True)), (bytes(f), small))
        for i in range(0, len(small), 7):
            with self.assertRaises((ultrafilter.FormatError, ultrafilter.InvalidError)):
                Filter.loads(small[:i] + bytes([small[i] ^ 1]) + small[i + 1:])

    def test_learned(self):
        keys = [f"host{i}.example.org" for i in range(2000)]
        others = [[f"www.shop-{i}.com" for i in range(start, start + 2000)] for start in (10_000, 40_000, 80_000)]
        f = Filter("partition:fpr=0.01,children=bloom", keys, negatives=others[0], valid=iter(others[1]))
        self.assertEqual((f.kind, all(f.query(keys)), sum(f.query(others[2])) < 60), ("partition", True, True))
        plain = Filter("bloom:fpr=0.01", keys)
        self.assertLess(f.nbytes, plain.nbytes / 2)
        back = pickle.loads(pickle.dumps(f))
        self.assertEqual(list(back.query(others[2])), list(f.query(others[2])))
        for spec, more, words in (("partition:fpr=0.01", {}, "negatives="), ("partition:fpr=0.01", {"negatives": others[0]}, "valid="),
                                  ("bloom:fpr=0.01", {"negatives": others[0]}, "not for bloom")):
            with self.assertRaisesRegex(ultrafilter.InvalidError, words):
                Filter(spec, keys, **more)
        with self.assertRaises(TypeError):
            Filter("partition:fpr=0.01", keys, negatives=[None], valid=others[1])

    def test_keys(self):
        path = os.path.join(self.folder, "master.key")
        key = Key.create(path)
        with open(path, "rb") as file:
            secret = file.read().split()
        f = Filter("keyed(blocked:n=1000)", WORDS[:500], key=path)
        self.assertEqual((f.key_id, Key.load(path).id), (key.id, key.id))
        back = pickle.loads(pickle.dumps(f))
        self.assertTrue(back.locked)
        with self.assertRaises(ultrafilter.WrongKeyError):
            "a" in back
        with self.assertRaises(ultrafilter.WrongKeyError):
            back.unlock(Key.from_bytes(os.urandom(32)))
        self.assertEqual(pickle.dumps(back), pickle.dumps(f))  # locked or not: the same bytes, without a key
        back.unlock(key)
        self.assertEqual(list(back.query(WORDS)), list(f.query(WORDS)))
        self.assertTrue(pickle.loads(pickle.dumps(back)).locked)
        with self.assertRaises(ultrafilter.WrongKeyError):
            Filter.loads(bytes(f))
        with self.assertRaises(TypeError):
            pickle.dumps(key)
        with self.assertRaises(TypeError):
            copy.deepcopy(key)
        try:
            Filter("keyed(blocked:n=1000)", [None], key=key)
        except TypeError:
            shown = traceback.format_exc() + repr(key) + str(key) + repr(f) + repr(vars(Key)) + bytes(f).hex() + pickle.dumps(f).hex()
        words = [word for word in secret if len(word) >= 32]
        self.assertTrue(words)  # what is looked for
        self.assertFalse([word for word in words if word.decode() in shown])

    def test_publish(self):
        ledger, out = os.path.join(self.folder, "l.ufl"), os.path.join(self.folder, "out.uf")
        made = ultrafilter.publish(WORDS, epsilon=3, capacity=2000, path=out, ledger=ledger, data_set="d", budget=5)
        self.assertAlmostEqual(made.claim.epsilon, 3, 3)
        self.assertEqual((made.account.releases, made.filter.count), (1, None))
        self.assertEqual(Filter.load(out).fingerprint(), made.filter.fingerprint())
        with self.assertRaises(ultrafilter.BudgetError):
            ultrafilter.publish(WORDS, epsilon=3, capacity=2000, path=out + "2", ledger=ledger, data_set="d")
        self.assertFalse(os.path.exists(out + "2"))
        dime = ultrafilter.publish([str(i) for i in range(1, 50)], epsilon=6, mechanism="dime", universe="range:1-1000")
        self.assertAlmostEqual(dime.claim.epsilon, 6, 3)
        keep = [d for d in ultrafilter.designs(3, 1000) if d.mechanism == "ultra"][0]
        self.assertIn("ultra", keep.spec)
        exact = Filter("bloom:n=1000,bits=20000,k=1", WORDS[:100])
        self.assertAlmostEqual(ultrafilter.publish(exact, epsilon=2).claim.epsilon, 2, 3)
        with self.assertRaises(ultrafilter.UndeclaredError):
            ultrafilter.publish(Filter("bloom:fpr=0.01", WORDS), epsilon=2)
        with self.assertRaises(FileNotFoundError):
            ultrafilter.audit("dpset:n=10,epsilon=3", program=os.path.join(self.folder, "none"))

    def test_specs(self):
        self.assertIn("k=", ultrafilter.plan("bloom:n=1e6"))
        with self.assertRaisesRegex(ValueError, "nonsense"):
            ultrafilter.plan("nonsense:n=1")
        self.assertEqual(ultrafilter.designs(3, 1000)[0].mechanism, "dpset")


class Surroundings(unittest.TestCase):
    def test_interrupt(self):
        """Ctrl-C ends a build that nobody could wait for, between keys and within the library's seven seconds of work."""
        for build in ("'bloom:n=1e6', itertools.count()", "'dpset:n=1e8,epsilon=3', range(10)"):
            program = ("import itertools, signal, ultrafilter\n"
                       "signal.signal(signal.SIGINT, signal.default_int_handler)\n"  # ignored in what a script puts aside
                       "print('on', flush=True)\n"
                       f"try: ultrafilter.Filter({build})\n"
                       "except KeyboardInterrupt: print('stopped', flush=True)\n")
            child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
            self.addCleanup(child.kill)
            child.stdout.readline()
            time.sleep(0.1)
            start = time.monotonic()
            child.send_signal(signal.SIGINT)
            self.assertEqual(child.communicate(timeout=60)[0], "stopped\n")
            self.assertLess(time.monotonic() - start, 3)

    def test_progress(self):
        seen = []

        def stop(done, total):
            seen.append(done)
            raise RuntimeError("enough")

        with self.assertRaisesRegex(RuntimeError, "enough"):
            Filter("bloom:n=1e6", (i for i in iter(int, 1)), progress=stop)
        self.assertEqual(len(seen), 1)

    def test_threads(self):
        """Threads that ask never miss a key while another one adds, and none of those added is lost."""
        for shared in (False, True):
            f = Filter("blocked:n=60000,fpr=0.001", range(10_000))
            f.shared = shared
            stop, wrong = threading.Event(), []
            known = array.array("q", range(10_000))

            def ask():
                while not stop.is_set():
                    if not all(f.query(known)) or 77 not in f:
                        wrong.append(1)

            def add(start):
                for i in range(start, start + 20_000, 1000):
                    f.add(array.array("q", range(i, i + 1000)))

            askers = [threading.Thread(target=ask) for _ in range(2)]
            adders = [threading.Thread(target=add, args=(start,)) for start in (10_000, 30_000)]
            for thread in askers + adders:
                thread.start()
            for thread in adders:
                thread.join()
            stop.set()
            for thread in askers:
                thread.join()
            self.assertFalse(wrong)
            self.assertTrue(all(f.query(range(50_000))))

    def test_fork(self):
        """A child has its own copy, key and all; what it adds is not the parent's."""
        f = Filter("keyed(blocked:n=1000)", WORDS[:500], key=Key.from_bytes(os.urandom(32)))
        child = os.fork()
        if not child:
            try:
                f.add("of the child")
                good = all(f.query(WORDS[:500])) and "of the child" in f
            finally:
                os._exit(0 if good else 1)
        self.assertEqual(os.waitpid(child, 0)[1], 0)
        self.assertNotIn("of the child", f)

    def test_other_interpreters(self):
        """A second interpreter of the process would share the first one's objects: it is refused, and the first goes on."""
        program = ("import ultrafilter, _xxsubinterpreters as others\n"
                   "one = others.create()\n"
                   "try: others.run_string(one, 'import ultrafilter')\n"
                   "except others.RunFailedError as error: print(error)\n"
                   "print('a' in ultrafilter.Filter('bloom:n=10', ['a']))\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        if "No module named '_xx" in done.stderr:
            self.skipTest("has no interpreters to start")
        self.assertRegex(done.stdout, "ImportError.*main interpreter(.|\n)*True\n$")

    def test_import_again(self):
        """The modules are loaded a second time: objects of the first stay what they are."""
        program = ("import sys, ultrafilter\nf = ultrafilter.Filter('bloom:n=10', ['a'])\n"
                   "for name in [n for n in sys.modules if n.startswith('ultrafilter')]: del sys.modules[name]\n"
                   "import ultrafilter as again\n"
                   "g = again.Filter(f.spec, ['b'])\ng._merge(f)\nprint(list(g.query(['a', 'b'])))\n")
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
        self.assertEqual(done.stdout, "[True, True]\n", done.stderr)

    @unittest.skipIf(os.environ.get("UF_FEW"), "a sanitizer keeps what is freed")
    def test_memory_is_given_back(self):
        """Filters of 1 MB and errors, forty rounds: memory stays where it was, while one kept in each would add 40 MB."""

        def memory():
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

        def use():
            with Filter("bloom:n=1,bits=8000000", ["a"]) as f:
                pass
            f = Filter("bloom:n=1,bits=8000000", ["a"])
            g = f.copy()
            g |= f
            for bad in (lambda: f.query([None]), lambda: Filter("bloom:n=1,bits=8000000", ["a", None]),
                        lambda: Filter.loads(bytes(f)[:-1]), lambda: g.remove("a")):
                with self.assertRaises((TypeError, ValueError)):
                    bad()

        use()
        before = memory()
        for _ in range(40):
            use()
        self.assertLess(memory() - before, 20_000_000)

    def test_lock_is_given_back(self):
        """While a long query runs, another thread of Python goes on."""
        f, keys = Filter(SPEC), array.array("q", bytes(8 * 3_000_000))
        ticks, done = [], threading.Event()

        def count():
            while not done.is_set():
                ticks.append(1)
                time.sleep(0.0005)

        thread = threading.Thread(target=count)
        interval = sys.getswitchinterval()
        sys.setswitchinterval(100)  # nobody is forced to give it back
        try:
            thread.start()
            before = len(ticks)
            f.query(keys)
            during = len(ticks) - before
        finally:
            done.set()
            sys.setswitchinterval(interval)
            thread.join()
        self.assertGreater(during, 0)

    def test_lowercase_files(self):
        program = os.path.join(os.environ.get("UF_BUILD", ""), "ultrafilter")
        if not os.path.exists(program):
            self.skipTest("needs the program")
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "l.uf")
            subprocess.run([program, "build", "-q", "-o", path, "--spec", "bloom:n=10", "--lowercase"], input=b"A\n", check=True)
            with self.assertRaises(ultrafilter.UnsupportedError):
                "a" in Filter.load(path)


def tearDownModule():
    check_none_is_left()


if __name__ == "__main__":
    unittest.main(verbosity=0)
