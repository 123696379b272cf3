# SPDX-License-Identifier: MIT
# Steps of a run that goes on after a failure and fails at the end. The caller sets source and jobs.
# shellcheck shell=sh
failed=

# Tests write thousands of small files, and a disk makes them wait for each fsync: their folders are in memory where there
# is room for 4 GiB. TMPDIR=FOLDER decides otherwise.
if [ -z "${TMPDIR:-}" ] && [ "$(df --output=avail /dev/shm 2>/dev/null | tail -n 1)" -gt 4194304 ] 2>/dev/null &&
    TMPDIR=$(mktemp -d /dev/shm/uf-tests-XXXXXX); then
    chmod 755 "$TMPDIR" # servers run as other users
    trap 'rm -rf "$TMPDIR"' EXIT
    trap 'exit 1' HUP INT TERM
    export TMPDIR
fi

# step NAME COMMAND...: does it, says how long it took, and keeps the name when it fails.
step() {
    name=$1
    shift
    echo "== $name"
    started=$(date +%s)
    "$@" || failed="$failed, $name"
    echo "-- $name: $(($(date +%s) - started)) s"
}

# build_in FOLDER TARGETS CMAKE-OPTION...
build_in() {
    folder=$1
    targets=$2
    shift 2
    # shellcheck disable=SC2086,SC2154
    cmake -S "$source" -B "$folder" -DUF_TESTS=ON -DUF_HOSTS=ON -DCMAKE_RULE_MESSAGES=OFF "$@" >/dev/null &&
        cmake --build "$folder" -j "$jobs" --target $targets -- --no-print-directory -s
}

build_and_test() {
    folder=$1
    targets=$2
    options=$3
    shift 3
    # shellcheck disable=SC2086
    build_in "$folder" "$targets" "$@" && ctest --test-dir "$folder" --output-on-failure -j "$jobs" $options
}

# tests NAME FOLDER TARGETS CTEST-OPTIONS CMAKE-OPTION...
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
