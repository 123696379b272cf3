#!/bin/sh
# SPDX-License-Identifier: MIT
# The tests of the SQLite and Python hosts with the address and undefined-behaviour sanitizers in the library and in the
# host; Debian's interpreter is as it comes, with the sanitizers' libraries in front of its own (Debian's server of
# PostgreSQL does not start that way). Objects of Python get memory of their own each, so that a byte read beyond one is
# seen; reading 8 keys where there is one, on purpose, must be.
# usage: sanitized.sh BUILD        a build folder with -DUF_SANITIZE=address,undefined
set -u
build=$(cd "$1" && pwd)
hosts=$(cd "$(dirname "$0")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
LIBRARIES="$(gcc -print-file-name=libasan.so):$(gcc -print-file-name=libubsan.so)"
export PYTHONMALLOC=malloc PYTHONDONTWRITEBYTECODE=1 UF_FEW=1 UF_BUILD="$build"
export ASAN_OPTIONS=detect_leaks=0,alloc_dealloc_mismatch=0 UBSAN_OPTIONS=print_stacktrace=1
failed=0

# sanitized COMMAND...: with the libraries in front.
sanitized() { LD_PRELOAD=$LIBRARIES "$@"; }

# must_pass NAME COMMAND...
must_pass() {
    name=$1
    shift
    "$@" >"$folder/log" 2>&1 || { echo "$name:" && tail -60 "$folder/log" && failed=1; }
}

# shellcheck disable=SC2016
over='import ctypes, sys
uf, spec, out = ctypes.CDLL(sys.argv[1]), ctypes.create_string_buffer(1024), ctypes.c_void_p()
assert uf.uf_spec_parse(b"bloom:n=100", spec, None) == 0 and uf.uf_build(spec, None, ctypes.c_size_t(0), None, ctypes.byref(out), None) == 0
uf.uf_query_fixed(out, bytes(64), ctypes.c_size_t(64), ctypes.c_size_t(int(sys.argv[2])), ctypes.create_string_buffer(8))'
must_pass "control" sanitized /usr/bin/python3 -c "$over" "$build/libultrafilter.so" 1
sanitized /usr/bin/python3 -c "$over" "$build/libultrafilter.so" 8 2>"$folder/log"
grep -q 'AddressSanitizer: heap-buffer-overflow' "$folder/log" || { echo "control: a read beyond an object of Python was not found" && failed=1; }

must_pass "sqlite" sanitized /usr/bin/python3 "$hosts/sqlite/tests/test_extension.py" "$build/sqlite_ultrafilter.so" "$build/ultrafilter"

flags="-fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer -O1 -g1"
build_module() (
    cd "$hosts/python" && CC="${CMAKE_C_COMPILER_LAUNCHER:-} gcc" CFLAGS=$flags LDFLAGS=$flags ULTRAFILTER_STATIC="$build/libultrafilter.a" \
        /usr/bin/python3 setup.py -q egg_info --egg-base "$folder" build --build-base "$folder/objects" --build-lib "$folder/site"
)
must_pass "the module of Python" build_module
export PYTHONPATH="$folder/site"
for test in test_package test_arrow; do
    must_pass "python, $test" sanitized /usr/bin/python3 "$hosts/python/tests/$test.py"
done
exit $failed
