#!/bin/sh
# SPDX-License-Identifier: MIT
# How much of src/ the tests reach: lines and branches, file by file, from gcc's own counts. Branches of lines that
# excluded.txt names, with a reason each, do not count.
# usage: tests/coverage/run.sh BUILD [JOBS]
#        COVERAGE_TESTS: a regular expression of tests; all of the library's, by default, without statistics
set -u
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
build=$1-coverage
jobs=${2:-$(nproc)}
tests=${COVERAGE_TESTS:-^(unit_|conform|golden_|property|remove|fuzz_corpus_library)}
others='lab|threads'

cmake -S "$source" -B "$build" -DUF_TESTS=ON -DUF_HOSTS=OFF -DCMAKE_BUILD_TYPE=Coverage \
    -DCMAKE_C_FLAGS_COVERAGE="-O1 -g1 --coverage -fprofile-update=atomic" >/dev/null || exit 1
build=$(cd "$build" && pwd)
# The programs of these tests, and nothing else.
programs=$(ctest --test-dir "$build" -R "$tests" -LE "$others" --show-only=json-v1 | "$here/programs.py" "$build")
# shellcheck disable=SC2086
cmake --build "$build" -j "$jobs" --target $programs -- --no-print-directory -s || exit 1
find "$build" -name '*.gcda' -delete
ctest --test-dir "$build" -j "$jobs" -R "$tests" -LE "$others" --output-on-failure >"$build/tests.log" 2>&1 ||
    grep -A20 'tests failed' "$build/tests.log" >&2
"$here/report.py" "$source" "$build" "$here/excluded.txt"
