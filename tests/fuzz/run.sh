#!/bin/sh
# SPDX-License-Identifier: MIT
# Fuzzes every parser: libFuzzer with the address and undefined-behaviour sanitizers, one harness after the other, from
# the corpora of this folder. What it finds is in BUILD-fuzz/found; inputs that reach new code are added to
# BUILD-fuzz/corpus, where the next run goes on.
# usage: tests/fuzz/run.sh BUILD [NAME...]
#        FUZZ_SECONDS=20: so long each. FUZZ_RUNS=N: so many executions each, however long they take. What is printed as
#        per_second is for a second of a processor.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/fuzz/lib.sh
. "$here/lib.sh"
fuzz_start "$@"
limit=-max_total_time=${FUZZ_SECONDS:-20}
[ -z "${FUZZ_RUNS:-}" ] || limit=-runs=$FUZZ_RUNS

number() { awk -v name="$1" '$1 == name { print $2 }' "$2"; }

failed=
mkdir -p "$build/found"
printf '%-12s %12s %10s %7s %8s\n' harness executions per_second edges crashes
for name in $names; do
    log=$build/found/$name.log
    corpus=$build/corpus/$name
    mkdir -p "$corpus"
    crashes=0
    fuzz_run "$name" "$build/fuzz_$name" "$log" "$limit" -artifact_prefix="$build/found/$name-" "$corpus" "$here/corpus/$name" || {
        crashes=1
        failed="$failed $name"
    }
    executions=$(number stat::number_of_executed_units: "$log")
    edges=$(sed -n 's/.* cov: \([0-9]*\) .*/\1/p' "$log" | tail -1)
    printf '%-12s %12s %10s %7s %8s\n' "$name" "${executions:-0}" \
        "$(echo "${executions:-0} $seconds" | awk '{ printf "%d", $1 / ($2 > 0.1 ? $2 : 0.1) }')" "${edges:-0}" "$crashes"
done
[ -n "$failed" ] || exit 0
for name in $failed; do
    echo "$name: $(grep -m1 -E 'ERROR|does not hold|runtime error' "$build/found/$name.log"); $build/found/$name.log" >&2
done
exit 1
