# SPDX-License-Identifier: MIT
"""Approximate set membership: private, keyed and plain filters from a small file.

    >>> from ultrafilter import Filter
    >>> f = Filter("blocked:n=1000,fpr=0.001", ["alice", "bob"])
    >>> "alice" in f
    True
    >>> list(f.query(["bob", "carol"]))
    [True, False]

A key is ``str`` (its UTF-8), bytes, or an integer from -2**63 to 2**64 - 1 (eight bytes, little-endian, whatever the
width of the array it comes from). The same key is the same bytes in every other program that reads the file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Callable, Iterable, Optional, Union

from . import _core
from ._core import Key
from ._errors import (
    AbsentError,
    BudgetError,
    CanceledError,
    FileError,
    FormatError,
    FullError,
    InvalidError,
    MismatchError,
    MissingFileError,
    OutOfMemoryError,
    ReadOnlyError,
    RefusedError,
    StuckError,
    UltraFilterError,
    UndeclaredError,
    UnsupportedError,
    WrongKeyError,
)

__version__: str = _core.version

__all__ = [
    "Filter", "Key", "Claim", "Info", "Design", "Account", "Release", "plan", "designs", "publish", "audit",
    "UltraFilterError", "InvalidError", "FormatError", "MismatchError", "WrongKeyError", "OutOfMemoryError",
    "FileError", "MissingFileError", "UnsupportedError", "ReadOnlyError", "RefusedError", "FullError", "StuckError",
    "AbsentError", "BudgetError", "UndeclaredError", "CanceledError",
]

OneKey = Union[str, bytes, bytearray, memoryview, int]
ManyKeys = Any  # Iterable[OneKey], a numpy array, any buffer of integers or fixed-width bytes, an Arrow array
Path = Union[str, "os.PathLike[str]"]
AnyKey = Union[Key, Path, None]
Progress = Optional[Callable[[int, int], object]]


@dataclass(frozen=True)
class Info:
    """What a filter is and holds. None: the kind does not tell, which private kinds never do."""

    kind: str
    bytes: int
    bits: int
    capacity: int
    count_estimate: Optional[float]
    fill: Optional[float]
    fpr_now: Optional[float]
    count: Optional[float]
    full: Optional[str]
    levels: int
    declared: bool
    generations: int


@dataclass(frozen=True)
class Claim:
    """What a filter promises. ``epsilon`` None: it is not private. ``adversarial_fpr`` None: nothing is promised
    against someone who has the file and chooses keys; ``adversarial_fnr`` None: strangers who may remove what is
    answered to can hide members. ``fpr_against`` and ``fnr_against`` are what both rates hold against, added up:
    1 queries, 2 inserts, 4 removals by the owner, 8 removals by anyone."""

    epsilon: Optional[float]
    delta: float
    fpr: Optional[float]
    adversarial_fpr: Optional[float]
    fnr: Optional[float]
    adversarial_fnr: Optional[float]
    removed_fpr: Optional[float]
    fpr_against: int
    fnr_against: int
    unit: str
    adversary: str
    not_protected: str
    proof: str
    rests_on: Optional[str]


@dataclass(frozen=True)
class Design:
    """One way to meet a privacy promise. ``spec`` None: there is none, and ``why`` says so."""

    mechanism: str
    variant: Optional[str]
    note: Optional[str]
    why: Optional[str]
    spec: Optional[str]
    epsilon: Optional[float]
    fpr: Optional[float]
    fnr: Optional[float]
    f1: Optional[float]
    bits_per_key: Optional[float]


@dataclass(frozen=True)
class Account:
    """What a ledger says of a data set after a release."""

    budget: float
    spent: float
    left: float
    charged: float
    releases: int


def _bools(answers: bytearray, keys: object) -> Any:
    """A memoryview of bools over the answers; a numpy array of them for numpy's arrays. Nothing is copied."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(keys, numpy.ndarray):
        return numpy.frombuffer(answers, dtype=bool) if answers else numpy.zeros(0, dtype=bool)
    return memoryview(answers).cast("?")


class Filter(_core.Filter):
    """A filter: ``Filter(spec, keys)``, or one from a file, ``Filter.load(path)``.

    ``spec`` says what is wanted, "blocked:n=1e6,fpr=0.01" for example; without n it is the number of keys. ``key`` is a
    Key or the path of a key file, for "keyed(...)" specs and for labels; ``threads`` may help to build; ``progress`` is
    called with keys done and in all about twenty times a second, and what it raises ends the build, as Ctrl-C does.

    Learned kinds ("partition:fpr=0.01") also take ``negatives``, keys that will be asked for and are not in the set, to
    train a model on, and ``valid``, others of that sort, to plan its rate with. When a plain filter would be smaller
    that one is built, unless ``force`` is true.

    Threads: any number may ask one filter at once, and many keys are asked about without the interpreter lock. A change
    waits until nobody asks, and the others wait until it is done; with ``shared = True`` adding and asking go on side
    by side.
    """

    __slots__ = ()

    @classmethod
    def build(
        cls, spec: str, keys: ManyKeys = (), *, key: AnyKey = None, threads: int = 1, progress: Progress = None,
        label: Optional[str] = None, negatives: ManyKeys = None, valid: ManyKeys = None, force: bool = False,
    ) -> "Filter":
        """The same as ``Filter(spec, keys, ...)``."""
        return cls(spec, keys, key=key, threads=threads, progress=progress, label=label, negatives=negatives,
                   valid=valid, force=force)

    @classmethod
    def load(
        cls, path: Path, *, key: AnyKey = None, map: bool = False, format: str = "uf", locked: bool = False
    ) -> "Filter":
        """A filter from its file. ``map``: the file is mapped and not read, and can only be asked. ``locked``: a keyed
        one without its key, which can be described, copied and saved, and asked after ``unlock(key)``."""
        return cls._load(path, key=key, map=map, format=format, locked=locked)

    @classmethod
    def loads(cls, data: Any, *, key: AnyKey = None, copy: bool = True, locked: bool = False) -> "Filter":
        """A filter from the bytes of a .uf file, or compact ones. ``copy=False``: it looks at ``data``, which must not change, and can
        only be asked."""
        return cls._loads(data, key=key, copy=copy, locked=locked)

    # ---- keys ----

    def query(self, keys: ManyKeys) -> Any:
        """Asks about many keys: a list or any iterable, a numpy array or another buffer, an Arrow array.

        Returns one bool for each: as a memoryview, of a numpy array as a numpy array. True: maybe in the set; False:
        certainly not. Integers of eight bytes and rows of bytes are read where they are."""
        return _bools(self._query(keys), keys)

    def add(self, keys: Union[OneKey, ManyKeys]) -> Any:
        """Adds a key, and tells whether it was new; of many keys, in order, a bool for each.

        FullError and StuckError: some keys were refused; its ``answers`` tells which, the others are in."""
        try:
            result = self._add(keys)
        except RefusedError as error:
            if error.answers is not None:
                error.answers = memoryview(error.answers).cast("b")
            raise
        return result if isinstance(result, bool) else _bools(result, keys)

    def remove(self, keys: Union[OneKey, ManyKeys]) -> None:
        """Takes a key, or many, out again: only what was added, and only as often. AbsentError (a KeyError): it is
        certainly not in the filter. Of many keys the others are out all the same."""
        self._remove(keys)

    def update(self, *others: ManyKeys) -> None:
        """Adds the keys of each argument, as ``set.update`` does."""
        for keys in others:
            self.add(keys)

    # ---- unions ----

    def union(self, *others: "Filter") -> "Filter":
        """A new filter with the keys of all. They must be twins: ``Filter(f.spec, keys)`` makes one of f."""
        result = self.copy()
        for other in others:
            result._merge(other)
        return result

    def __or__(self, other: object) -> "Filter":
        return self.union(other) if isinstance(other, Filter) else NotImplemented

    def __ior__(self, other: object) -> "Filter":
        if not isinstance(other, Filter):
            return NotImplemented
        self._merge(other)
        return self

    # ---- what is known ----

    @property
    def count(self) -> Optional[int]:
        """Keys in it, estimated from its bits. None: the kind does not tell, as private ones do not."""
        estimate = self._info()["count_estimate"]
        return None if estimate is None else round(estimate)

    def info(self) -> Info:
        """Kind, sizes, fill and rates. Counts the bits: half a second for a gigabyte."""
        return Info(**self._info())

    def claim(self) -> Claim:
        """What the filter promises, from the numbers in it."""
        return Claim(**self._claim())

    @property
    def shared(self) -> bool:
        """True: threads may add and ask at the same time, for slower changes; removing is refused meanwhile."""
        return self._shared

    @shared.setter
    def shared(self, on: bool) -> None:
        self._share(on)

    # ---- private copies ----

    def release(self, spec: str, *, key: AnyKey = None, label: Optional[str] = None) -> "Filter":
        """A private copy of an exact filter, such as ``f.release("ultra:epsilon=3")``. Each costs epsilon: use
        ``publish``, which keeps account."""
        return self._release(spec, key=key, label=label)

    # ---- as other objects do ----

    def __bytes__(self) -> bytes:
        return self.dumps()

    def __enter__(self) -> "Filter":
        return self

    def __exit__(
        self, kind: Optional[type], error: Optional[BaseException], trace: Optional[TracebackType]
    ) -> None:
        self.close()

    def __copy__(self) -> "Filter":
        return self.copy()

    def __deepcopy__(self, memo: object) -> "Filter":
        return self.copy()

    def __reduce__(self) -> Any:
        # Its bytes, and never its key: a keyed filter comes back locked, until unlock(key).
        return _restore, (type(self), self.dumps(compact=True))


def _restore(cls: type[Filter], data: bytes) -> Filter:
    return cls._loads(data, locked=True)


def plan(spec: str) -> str:
    """The spec with every number resolved; InvalidError says what is impossible and what would be possible."""
    return _core.plan(spec)


def designs(epsilon: float, n: int, *, bits_per_key: float = 0, universe: int = 0) -> list[Design]:
    """The best design of every mechanism for a private file of n keys, the best one first."""
    return [Design(**design) for design in _core.designs(epsilon, n, bits_per_key, universe)]


@dataclass(frozen=True)
class Release:
    """What ``publish`` made: the filter, what it promises, and what the ledger says (None without one)."""

    filter: Filter
    claim: Claim
    account: Optional[Account]


_COUNT_SHARE = 0.01  # of epsilon that a noisy count costs when no capacity is declared, as with the program


def _private_spec(mechanism: str, epsilon: float, capacity: Optional[int], bits_per_key: Optional[float]) -> str:
    kinds = {"dpset": "dpset:", "ultra": "ultra:", "published": "ultra:mechanism=published,"}
    if mechanism not in kinds:
        raise InvalidError(f"there is no mechanism '{mechanism}': dpset, ultra, dime, nickel or published", -1)
    size = f",bits_per_key={bits_per_key!r}" if bits_per_key else ""
    if capacity is not None:
        return f"{kinds[mechanism]}n={capacity},epsilon={epsilon!r}{size}"
    share = _COUNT_SHARE * epsilon
    return f"{kinds[mechanism]}count_epsilon={share!r},epsilon={epsilon - share!r}{size}"


def publish(
    keys: ManyKeys,
    *,
    epsilon: float,
    capacity: Optional[int] = None,
    mechanism: Optional[str] = None,
    bits_per_key: Optional[float] = None,
    universe: Optional[str] = None,
    spec: str = "bloom:fpr=0.01",
    path: Optional[Path] = None,
    ledger: Optional[Path] = None,
    data_set: str = "default",
    budget: float = 0,
    key: AnyKey = None,
    label: Optional[str] = None,
    threads: int = 1,
    progress: Progress = None,
) -> Release:
    """A filter of a sensitive set that may be handed out, as ``ultrafilter publish`` makes it.

    ``mechanism`` is dpset, the default, or ultra; dime and nickel take a ``universe`` ("range:1-1000000",
    "ipv4:10.0.0.0/8", "digits:10") and put the released set into a filter of ``spec``. ``keys`` may be a Filter to make
    a private copy of (ultra). ``capacity`` is public; without it a hundredth of epsilon pays for a noisy count.

    With a ``ledger`` the release is charged to ``data_set`` before there is a file or a filter to see, and refused
    (BudgetError) when the ``budget``, which is said with the first release, does not cover it. Without ``label`` and
    ``key`` every release has fresh coins, and costs."""
    context = {"key": key, "label": label, "progress": progress}
    if isinstance(keys, Filter):
        mechanism = mechanism or "ultra"
        size = f",bits_per_key={bits_per_key!r}" if bits_per_key else ""
        how = "mechanism=published," if mechanism == "published" else ""
        if mechanism not in ("ultra", "published"):
            raise InvalidError(f"{mechanism} needs the keys themselves, and this is a filter", -1)
        made = keys._release(f"ultra:{how}epsilon={epsilon!r}{size}", **context)
    elif mechanism in ("dime", "nickel"):
        if universe is None:
            raise InvalidError(f"{mechanism} needs a universe: all keys there could be", -1)
        made = Filter._build_set(spec, keys, f"{mechanism}:epsilon={epsilon!r}", universe, threads=threads, **context)
    else:
        mechanism = mechanism or "dpset"
        made = Filter(_private_spec(mechanism, epsilon, capacity, bits_per_key), keys, threads=threads, **context)
    claim = made.claim()
    account = None
    if ledger is not None:
        cost = float("nan") if claim.epsilon is None else claim.epsilon
        name = None if path is None else os.path.basename(os.fspath(path))
        account = Account(**_core.charge(ledger, data_set, mechanism, made.fingerprint(), cost, claim.delta, budget,
                                         label, name))
    if path is not None:
        made.save(path)
    return Release(made, claim, account)


def audit(
    spec: str, *, trials: Optional[int] = None, base: Optional[int] = None, seed: Optional[int] = None,
    confidence: Optional[float] = None, program: Path = "ultrafilter-lab",
) -> dict[str, Any]:
    """What a private spec was seen to give away, against what it claims: a lower bound on its epsilon, by experiment.

    The auditor is not in the library: this runs ``ultrafilter-lab audit --json``, which must be installed, and returns
    what it prints. FileNotFoundError: it is not there. ``results[0]["low"]`` above the claimed epsilon refutes it."""
    command = [os.fspath(program), "audit", "--json", "--spec", spec]
    for name, value in (("trials", trials), ("base", base), ("seed", seed), ("confidence", confidence)):
        if value is not None:
            command += [f"--{name}", str(value)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        raise UltraFilterError(done.stderr.strip() or f"{command[0]} ended with {done.returncode}")
    return json.loads(done.stdout)
