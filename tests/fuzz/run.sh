#!/bin/sh
# SPDX-License-Identifier: MIT
# Fuzzes every parser: libFuzzer with the address and undefined-behaviour sanitizers, one harness after the other, from
# the corpora of this folder. What it finds is in BUILD-fuzz/found; inputs that reach new code are added to
# BUILD-fuzz/corpus, where the next run goes on.
# usage: tests/fuzz/run.sh BUILD [NAME...]
#        FUZZ_SECONDS=20: so long each. FUZZ_RUNS=N: so many executions each, however long they take, or FUZZ_SECONDS at most
#        where both are given. FUZZ_WORKERS=1: so many processes of a harness at a time, which share them and the corpus.
#        What is printed as per_second is for a second of a processor.
set -u
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=tests/fuzz/lib.sh
. "$here/lib.sh"
fuzz_start "$@"
workers=${FUZZ_WORKERS:-1}
limits=
[ -z "${FUZZ_RUNS:-}" ] || limits=-runs=$(((FUZZ_RUNS + workers - 1) / workers))
[ -n "${FUZZ_RUNS:-}" ] && [ -z "${FUZZ_SECONDS:-}" ] || limits="$limits -max_total_time=${FUZZ_SECONDS:-20}"

# worker NAME LOG: one process of a harness. How it ended goes to LOG.status, its seconds to LOG.seconds.
worker() {
    # shellcheck disable=SC2086
    fuzz_run "$1" "$build/fuzz_$1" "$2" $limits -artifact_prefix="$build/found/$1-" "$build/corpus/$1" "$here/corpus/$1"
    echo "$seconds" >"$2.seconds"
}

failed=
mkdir -p "$build/found"
printf '%-12s %12s %10s %7s %8s\n' harness executions per_second edges crashes
for name in $names; do
    mkdir -p "$build/corpus/$name"
    rm -f "$build/found/$name".*
    for number in $(seq "$workers"); do
        worker "$name" "$build/found/$name.$number.log" &
    done
    wait
    crashes=$(cat "$build/found/$name".*.log.status | grep -cvx 0)
    [ "$crashes" = 0 ] || failed="$failed $name"
    # Their executions and seconds together, and the most edges that one of them reached.
    awk -v name="$name" -v crashes="$crashes" '
        FILENAME ~ /[.]seconds$/ { seconds += $1 }
        $1 == "stat::number_of_executed_units:" { executions += $2 }
        match($0, / cov: [0-9]+ /) { cov = substr($0, RSTART + 6, RLENGTH - 7) + 0; if (cov > edges) edges = cov }
        END { printf "%-12s %12d %10d %7d %8d\n", name, executions, executions / (seconds > 0.1 ? seconds : 0.1), edges, crashes }
    ' "$build/found/$name".*
done
[ -n "$failed" ] || exit 0
for name in $failed; do
    echo "$name: $(cat "$build/found/$name".*.log | grep -m1 -E 'ERROR|does not hold|runtime error'); $build/found/$name.*.log" >&2
done
exit 1
