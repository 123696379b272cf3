#!/bin/sh
# SPDX-License-Identifier: MIT
# All tests as released, then those without threads with the address and undefined-behaviour sanitizers at smaller sizes.
# What takes other tools (a second compiler, analyzers, the thread sanitizer, the search for leaks), and the lab with the
# sanitizers, is in check/run.sh.
# Goes on after a failure, and fails at the end.
# usage: tests/run.sh BUILD [JOBS]        UF_TEST_FULL=1 for the full sizes (tens of minutes)
set -u
build=$1
jobs=${2:-$(nproc)}
source=$(dirname "$0")/..
. "$source/tests/check/lib.sh"

tests "as released" "$build" all "" -DUF_SANITIZE=

UF_TEST_SMALL=1
ASAN_OPTIONS=detect_leaks=0
export UF_TEST_SMALL ASAN_OPTIONS
tests "address and undefined-behaviour sanitizers" "$build-asan" all "-LE threads|leaks_cli|lab" \
    -DUF_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=Sanitize

finish "all tests passed"
