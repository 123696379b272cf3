# SPDX-License-Identifier: MIT
"""Exceptions: one class for each thing that a program may want to tell apart.

Every one of them is an UltraFilterError with the library's sentence, and also what Python has for it, so that
``except ValueError``, ``except FileNotFoundError`` or ``except MemoryError`` work as they do elsewhere.
"""

import errno


class UltraFilterError(Exception):
    """What the library says, in one sentence. ``status`` is its number, as in ``ultrafilter.h``."""

    status: int = 0
    reason: int = 0

    def __init__(self, text, status=0, reason=0):
        super().__init__(text)
        self.text, self.status, self.reason = text, status, reason

    def __str__(self):
        return self.text

    def __reduce__(self):
        return type(self), (self.text, self.status, self.reason)


class InvalidError(UltraFilterError, ValueError):
    """An argument or a spec makes no sense, or no design meets it."""


class FormatError(UltraFilterError, ValueError):
    """The bytes are not a valid filter: cut, altered, or something else; or of a newer format."""


class MismatchError(UltraFilterError, ValueError):
    """Two filters that do not fit together."""


class WrongKeyError(UltraFilterError, ValueError):
    """A keyed filter without the key it was made with, or with another one."""


class OutOfMemoryError(UltraFilterError, MemoryError):
    """There is not enough memory."""


class FileError(UltraFilterError, OSError):
    """The system refused to read or write."""

    def __init__(self, text, status=0, reason=0):
        OSError.__init__(self, reason, text)
        self.text, self.status, self.reason = text, status, reason


class MissingFileError(FileError, FileNotFoundError):
    """There is no such file."""


class UnsupportedError(UltraFilterError, TypeError):
    """This kind of filter cannot do that."""


class ReadOnlyError(UnsupportedError):
    """A mapped filter or a view cannot change."""


class RefusedError(UltraFilterError):
    """Some keys were refused. With many keys, ``answers`` has a number for each: 1 or 0, or the status (negative)."""

    answers = None


class FullError(RefusedError):
    """More keys than the filter was planned for, and it refuses them. The others are in."""


class StuckError(RefusedError):
    """What the filter answers to a key cannot change any more."""


class AbsentError(RefusedError, KeyError):
    """The key is not in the filter."""


class BudgetError(UltraFilterError):
    """A release that the privacy budget of its data set does not cover."""


class UndeclaredError(UltraFilterError, ValueError):
    """The n of the filter was counted from its keys and not declared, so that no copy may be published."""


class CanceledError(UltraFilterError):
    """A callback asked to stop."""


_CLASSES = {
    -1: InvalidError, -2: OutOfMemoryError, -3: FileError, -4: FormatError, -5: FormatError, -6: UnsupportedError,
    -7: FullError, -8: MismatchError, -9: InvalidError, -12: ReadOnlyError, -13: CanceledError, -14: BudgetError,
    -15: AbsentError, -16: StuckError, -17: WrongKeyError, -19: UndeclaredError, -20: InvalidError,
}


def make(text, status, reason):
    """The exception for a status; called by the extension module."""
    kind = _CLASSES.get(status, UltraFilterError)
    if kind is FileError and reason == errno.ENOENT:
        kind = MissingFileError
    return kind(text, status, reason)
