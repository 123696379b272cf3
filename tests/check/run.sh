#!/bin/sh
# SPDX-License-Identifier: MIT
# What make check runs beside the tests: layout, shell scripts, a second compiler, analyzers, threads under the thread
# sanitizer, leaks by valgrind and the address sanitizer. Goes on after a failure, and fails at the end.
# usage: tests/check/run.sh BUILD [JOBS]
set -u
build=$1
jobs=${2:-$(nproc)}
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/check/lib.sh"
. "$source/tests/check/static.sh"
cd "$source" || exit 1

step "layout" layout
step "shell scripts" scripts
step "cppcheck" inspect
UF_TEST_SMALL=1
export UF_TEST_SMALL
tests "built with clang" "$build-clang" all "-R ^(unit_|check_|golden_)" -DCMAKE_C_COMPILER=clang -DUF_BENCH=ON \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
step "clang-tidy" analyze "$build-clang"
step "the programs under valgrind" ctest --test-dir "$build-clang" --output-on-failure -j "$jobs" -L valgrind
step "Python and SQLite under valgrind" hosts/tests/leaks.sh "$build-clang"
step "a wheel from the source distribution" hosts/python/tests/sdist.sh /usr/bin/python3
UF_TEST_FEW=1
export UF_TEST_FEW
tests "thread sanitizer" "$build-tsan" thread_tests "-L threads" -DUF_SANITIZE=thread -DCMAKE_BUILD_TYPE=Sanitize
unset UF_TEST_FEW
ASAN_OPTIONS=detect_leaks=0
export ASAN_OPTIONS
step "address sanitizer, built" build_in "$build-asan" "all later" -DUF_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=Sanitize
step "SQLite and Python, address and undefined-behaviour sanitizers" hosts/tests/sanitized.sh "$build-asan"
step "the command line, address and undefined-behaviour sanitizers" ctest --test-dir "$build-asan" --output-on-failure -j "$jobs" \
    -LE 'threads|lab' -R '^cli_'
# Whole reproductions take minutes here; unit_experiments and unit_bodega_paper run the same code.
step "the lab, the same" ctest --test-dir "$build-asan" --output-on-failure -j "$jobs" -L lab -E '^cli_reproduce'
step "statistics, the same" ctest --test-dir "$build-asan" --output-on-failure -j "$jobs" -R '^stat_'
ASAN_OPTIONS=detect_leaks=1
step "leaks" ctest --test-dir "$build-asan" --output-on-failure -j "$jobs" -L leaks

finish "all checks passed"
