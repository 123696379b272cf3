#!/bin/sh
# SPDX-License-Identifier: MIT
# What make check runs beside the tests: layout, shell scripts, a second compiler, analyzers, threads and leaks under
# the sanitizers. Goes on after a failure, and fails at the end.
# usage: tests/check/run.sh BUILD [JOBS]
set -u
build=$1
jobs=${2:-$(nproc)}
source=$(cd "$(dirname "$0")/../.." && pwd)
. "$source/tests/check/lib.sh"
cd "$source" || exit 1

# files PATTERN...: those of the repository, or of the folder where it is none.
files() {
    git ls-files "$@" 2>/dev/null || for pattern; do find . -path ./build\* -prune -o -name "$pattern" -print; done
}

layout() { files '*.c' '*.h' | xargs clang-format --dry-run -Werror; }

# Everything that begins as a shell script, and what they read. Left out: SC2034 and SC2154, names that one file sets and
# another uses; SC2238, files that are called like a command; for the cases also SC3045, ulimit -v, which dash has; SC2010,
# ls | grep in folders of our own; SC2258 and SC1087, which take a comma or a bracket of ours for the shell's.
scripts() {
    # shellcheck disable=SC2046
    shellcheck -x -S warning -e SC2034,SC2154,SC2238 $(files | grep -v -e '/cases/' -e '\.expect$' | xargs grep -lE '^#!/bin/sh|^# shellcheck shell=sh')
    found=$?
    files '*/cases/*.sh' | xargs shellcheck -s sh -S warning -e SC2034,SC2154,SC2238,SC3045,SC2010,SC2258,SC1087 || found=1
    return $found
}

# The checks are those of .clang-tidy. A build folder of clang has its command lines.
analyze() {
    files 'src/*.c' 'src/*/*.c' | sort -u | xargs -P "$jobs" -n 8 clang-tidy -quiet -p "$1" 2>/dev/null
}

step "layout" layout
step "shell scripts" scripts
UF_TEST_SMALL=1
export UF_TEST_SMALL
tests "built with clang" "$build-clang" all "-R ^(unit_|check_|golden_)" -DCMAKE_C_COMPILER=clang -DUF_BENCH=ON \
    -DCMAKE_EXPORT_COMPILE_COMMANDS=ON
step "clang-tidy" analyze "$build-clang"
step "Python and SQLite under valgrind" hosts/tests/leaks.sh "$build-clang"
UF_TEST_FEW=1
export UF_TEST_FEW
tests "thread sanitizer" "$build-tsan" thread_tests "-L threads" -DUF_SANITIZE=thread -DCMAKE_BUILD_TYPE=Sanitize
unset UF_TEST_FEW
ASAN_OPTIONS=detect_leaks=0
export ASAN_OPTIONS
step "address sanitizer, built" build_in "$build-asan" all -DUF_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=Sanitize
step "the command line, address and undefined-behaviour sanitizers" ctest --test-dir "$build-asan" --output-on-failure -j "$jobs" \
    -LE 'threads|leaks_cli|lab' -R '^cli_'
step "the lab, the same" ctest --test-dir "$build-asan" --output-on-failure -j "$jobs" -L lab
step "statistics, the same" ctest --test-dir "$build-asan" --output-on-failure -j "$jobs" -R '^stat_'
ASAN_OPTIONS=detect_leaks=1
step "leaks" ctest --test-dir "$build-asan" --output-on-failure -j "$jobs" -L leaks

finish "all checks passed"
