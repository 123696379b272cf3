#!/bin/sh
# SPDX-License-Identifier: MIT
# Whether fuzzing finds anything: each harness has a bug on purpose (fuzz_plant), which no input of the corpora reaches,
# and which must be found in 60 seconds of a processor.
# usage: tests/fuzz/planted.sh BUILD [NAME...]      PLANTED_SECONDS=60
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/fuzz/lib.sh
. "$here/lib.sh"
fuzz_start "$@"
most=${PLANTED_SECONDS:-60}

failed=
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
printf '%-12s %12s %10s\n' harness executions seconds
for name in $names; do
    program=$build/fuzz_${name}_planted
    log=$work/$name.log
    mkdir -p "$work/$name"
    if ! fuzz_run "$name" "$program" "$log" -runs=0 "$here/corpus/$name"; then
        echo "$name: an input of the corpus reaches the planted bug, or another one; $(grep -m1 -E 'ERROR|does not hold' "$log")" >&2
        failed="$failed $name"
        continue
    fi
    # shellcheck disable=SC3045
    (ulimit -t "$most" && fuzz_run "$name" "$program" "$log" -seed=1 -artifact_prefix="$work/" "$work/$name" "$here/corpus/$name"
        echo "$seconds" >"$work/seconds")
    seconds=$(cat "$work/seconds")
    executions=$(awk '$1 == "stat::number_of_executed_units:" { print $2 }' "$log")
    grep -q 'in fuzz_planted_bug' "$log" || {
        seconds="not_found"
        failed="$failed $name"
        grep -m1 -E 'ERROR|does not hold' "$log" >&2
    }
    printf '%-12s %12s %10s\n' "$name" "${executions:-0}" "$seconds"
done
[ -z "$failed" ] || {
    echo "not found:$failed" >&2
    exit 1
}
