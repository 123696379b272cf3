#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests of the Python and SQLite hosts under valgrind: nothing of ours is read wrongly or lost. Python and numpy lose
# a few blocks of their own, so only reports with our files in them count (theirs come without debug information). Builders
# and keys that are lost on purpose must be found. A lost Filter stays in the list of Python's garbage collector and is not
# lost for valgrind: the tests count those themselves when they are done.
# usage: leaks.sh BUILD
set -u
build=$(cd "$1" && pwd)
source=$(cd "$(dirname "$0")/.." && pwd)
log=$(mktemp)
trap 'rm -f "$log"' EXIT
export PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$build/python/site" UF_BUILD="$build" UF_FEW=1
failed=0

# reports COMMAND...: those with our files in them, one line each; what else it prints goes to standard error.
reports() {
    valgrind -q --leak-check=full --show-leak-kinds=definite --num-callers=30 --log-file="$log" "$@" >&2
    perl -00 -ne 's/^==\d+== ?$/\n/mg; print' "$log" |
        perl -00 -ne 'print "$1\n" if /\(\w+\.c:\d+\)|_core\.abi3|sqlite_ultrafilter|libultrafilter/ && /== (.*(lost|Invalid|uninit).*)/'
}

found=$(reports /usr/bin/python3 -c 'import ctypes, sys
uf, spec, out = ctypes.CDLL(sys.argv[1]), ctypes.create_string_buffer(512), ctypes.c_void_p()
uf.uf_spec_parse(b"bloom:fpr=0.01", spec, None)
for i in range(20): uf.uf_builder_new(spec, None, ctypes.byref(out), None)' "$build/libultrafilter.so")
[ -n "$found" ] || { echo "control: builders that were lost were not found" && failed=1; }
found=$(reports /usr/bin/python3 -c 'import ctypes, ultrafilter
for i in range(20): ctypes.pythonapi.Py_IncRef(ctypes.py_object(ultrafilter.Key.from_bytes(bytes([i] * 32))))')
[ -n "$found" ] || { echo "control: keys of Python that were lost were not found" && failed=1; }
found=$(reports /usr/bin/python3 "$source/python/tests/test_package.py" Keys Changes Files)
found=$found$(reports /usr/bin/python3 "$source/python/tests/test_arrow.py")
[ -z "$found" ] || { echo "python: $found" && failed=1; }
found=$(reports /usr/bin/python3 "$source/sqlite/tests/test_extension.py" "$build/sqlite_ultrafilter.so" "$build/ultrafilter")
[ -z "$found" ] || { echo "sqlite: $found" && failed=1; }
exit $failed
