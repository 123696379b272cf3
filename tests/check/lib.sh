# SPDX-License-Identifier: MIT
# Steps of a run that goes on after a failure and fails at the end. The caller sets source and jobs.
# shellcheck shell=sh
failed=

# step NAME COMMAND...: does it, and keeps the name when it fails.
step() {
    name=$1
    shift
    echo "== $name"
    "$@" || failed="$failed, $name"
}

# build_in FOLDER TARGET CMAKE-OPTION...
build_in() {
    folder=$1
    target=$2
    shift 2
    # shellcheck disable=SC2154
    cmake -S "$source" -B "$folder" -DUF_TESTS=ON -DUF_HOSTS=ON -DCMAKE_RULE_MESSAGES=OFF "$@" >/dev/null &&
        cmake --build "$folder" -j "$jobs" --target "$target" -- --no-print-directory -s
}

build_and_test() {
    folder=$1
    target=$2
    options=$3
    shift 3
    # shellcheck disable=SC2086
    build_in "$folder" "$target" "$@" && ctest --test-dir "$folder" --output-on-failure -j "$jobs" $options
}

# tests NAME FOLDER TARGET CTEST-OPTIONS CMAKE-OPTION...
tests() {
    title=$1
    shift
    step "tests: $title" build_and_test "$@"
}

# finish WORDS: says them, or what failed.
finish() {
    if [ -n "$failed" ]; then
        echo "FAILED: ${failed#, }" >&2
        exit 1
    fi
    echo "$1"
}
