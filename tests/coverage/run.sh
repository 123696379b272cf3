#!/bin/sh
# SPDX-License-Identifier: MIT
# How much of src/ the tests reach: lines and branches, file by file, from what clang counts in the source (report.py says
# what a branch is). Branches that excluded.txt names, with a reason each, do not count.
# usage: tests/coverage/run.sh BUILD [JOBS]
#        COVERAGE_TESTS: a regular expression of tests; all of the library's, by default, without statistics
set -u
here=$(cd "$(dirname "$0")" && pwd)
source=$(cd "$here/../.." && pwd)
build=$1-coverage
jobs=${2:-$(nproc)}
tests=${COVERAGE_TESTS:-^(unit_|conform|golden_|property|remove|fuzz_corpus_library)}
# Constant time and symbols are a matter of the code that is released; conform takes as long as all others and reaches some twenty
# branches more; games and audits of the lab take long, and look at answers.
lab='audit|attacks|games|learned_games|membership|corpus|experiments|bodega_paper|hybrid'
others="^(conform|unit_(constant_time|symbols|$lab))$"
labels='threads'

mkdir -p "$build" || exit 1
build=$(cd "$build" && pwd)
counts=$build/counts
# Counts stay exact under optimisation, because they are put in before it. Where they go is in the programs: some tests
# start others with an empty environment.
CC=clang cmake -S "$source" -B "$build" -DUF_TESTS=ON -DUF_HOSTS=OFF -DCMAKE_BUILD_TYPE=Coverage \
    -DCMAKE_C_FLAGS_COVERAGE="-O1 -g0 -fprofile-instr-generate=$counts/%m.profraw -fcoverage-mapping \
-fprofile-update=atomic -Dalways_inline=unused" >/dev/null || exit 1
# The programs of these tests, and nothing else.
programs=$(ctest --test-dir "$build" -R "$tests" -E "$others" -LE "$labels" --show-only=json-v1 |
    "$here/programs.py" "$build")
# shellcheck disable=SC2086
cmake --build "$build" -j "$jobs" --target $programs uf_shared torture_calls -- --no-print-directory -s >&2 || exit 1
rm -rf "$counts"
failed=0
ctest --test-dir "$build" -j "$jobs" -R "$tests" -E "$others" -LE "$labels" --output-on-failure >"$build/tests.log" 2>&1 ||
    failed=1
# Allocations refused one by one, through every public function.
"$build/torture_calls" short "$source/tests/symbols.txt" >>"$build/tests.log" 2>&1 || failed=1
[ $failed -eq 0 ] || grep -E -A20 'tests failed|refused:|no driver' "$build/tests.log" >&2
# All programs have the same objects of src/ in them, so one says where the counters of all are.
llvm-profdata merge -o "$build/counts.profdata" "$counts"/*.profraw &&
    llvm-cov export --skip-functions --instr-profile "$build/counts.profdata" "$build/libultrafilter.so" \
        >"$build/counts.json" || exit 1
"$here/report.py" "$source" "$build/counts.json" "$here/excluded.txt"
