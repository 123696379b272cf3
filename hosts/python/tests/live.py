# SPDX-License-Identifier: MIT
"""Filters that are still there when all tests of a file are done: none. One that is lost on purpose is counted."""

import ctypes
import gc

from ultrafilter import Filter


def live():
    gc.collect()
    return sum(isinstance(one, Filter) for one in gc.get_objects())


def check_none_is_left():
    left = live()
    lost = ctypes.py_object(Filter("bloom:n=10"))
    ctypes.pythonapi.Py_IncRef(lost)
    address = id(lost.value)
    del lost
    assert live() == left + 1, "control: a filter that was lost was not found"
    ctypes.pythonapi.Py_DecRef(ctypes.cast(address, ctypes.py_object))
    assert left == 0, f"{left} filters were lost"
