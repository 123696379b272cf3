#!/bin/sh
# SPDX-License-Identifier: MIT
# All tests as released; those without threads again with the address and undefined-behaviour sanitizers at smaller
# sizes; those with threads under the thread sanitizer. Goes on after a failure, and fails at the end.
# usage: tests/run.sh BUILD [JOBS]        UF_TEST_FULL=1 for the full sizes (tens of minutes)
set -u
build=$1
jobs=${2:-$(nproc)}
source=$(dirname "$0")/..
failed=

# configure_and_build FOLDER TARGET CMAKE-OPTION...
configure_and_build() {
    folder=$1
    target=$2
    shift 2
    cmake -S "$source" -B "$folder" -DUF_TESTS=ON -DUF_HOSTS=ON -DCMAKE_RULE_MESSAGES=OFF "$@" >/dev/null &&
        cmake --build "$folder" -j "$jobs" --target "$target" -- --no-print-directory -s
}

# run NAME FOLDER TARGET CTEST-OPTIONS CMAKE-OPTION...
run() {
    name=$1
    folder=$2
    target=$3
    options=$4
    shift 4
    echo "== tests: $name"
    # shellcheck disable=SC2086
    if configure_and_build "$folder" "$target" "$@" &&
        ctest --test-dir "$folder" --output-on-failure -j "$jobs" $options; then
        return
    fi
    failed="$failed, $name"
}

run "as released" "$build" all "" -DUF_SANITIZE=

UF_TEST_SMALL=1
ASAN_OPTIONS=detect_leaks=0 # but for the tests that CMakeLists.txt names
export UF_TEST_SMALL ASAN_OPTIONS
run "address and undefined-behaviour sanitizers" "$build-asan" all "-LE threads" \
    -DUF_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=RelWithDebInfo
UF_TEST_FEW=1
export UF_TEST_FEW
run "thread sanitizer" "$build-tsan" conform_threads "-L threads" \
    -DUF_SANITIZE=thread -DCMAKE_BUILD_TYPE=RelWithDebInfo

if [ -n "$failed" ]; then
    echo "FAILED: ${failed#, }" >&2
    exit 1
fi
echo "all tests passed"
