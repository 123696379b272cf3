#!/bin/sh
# SPDX-License-Identifier: MIT
# All tests as released, then those of the library and the hosts, without threads, with the address and
# undefined-behaviour sanitizers at smaller sizes. What takes other tools (a second compiler, analyzers, the thread
# sanitizer, the search for leaks) is in check/run.sh, and so are the command line, the lab, statistics and the long
# conformance tests with the sanitizers.
# Goes on after a failure, and fails at the end.
# usage: tests/run.sh BUILD [JOBS]        UF_TEST_FULL=1 for the full sizes (tens of minutes)
set -u
build=$1
jobs=${2:-$(nproc)}
source=$(dirname "$0")/..
. "$source/tests/check/lib.sh"

tests "as released" "$build" all "-LE valgrind" -DUF_SANITIZE=

UF_TEST_SMALL=1
ASAN_OPTIONS=detect_leaks=0
export UF_TEST_SMALL ASAN_OPTIONS
tests "address and undefined-behaviour sanitizers" "$build-asan" all "-LE threads|lab -E ^(stat_|cli_|conform(|_add|_builders|_private|_secret)$)" \
    -DUF_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=Sanitize

finish "all tests passed"
