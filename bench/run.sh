#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the benchmark and leaves its report, its plot and its chart in the build folder.
# usage: bench/run.sh BUILD [options of uf_bench]
#        bench/run.sh BUILD learned [NAME=FOLDER...]     only learned filters, bench/learned/run.sh
set -eu
[ $# -ge 1 ] || {
    echo "usage: bench/run.sh BUILD [options of uf_bench]" >&2
    exit 2
}
build=$1
shift
if [ "${1-}" = learned ]; then
    shift
    exec "$(dirname "$0")/learned/run.sh" "$build" "$@"
fi
[ -x "$build/uf_bench" ] || {
    echo "bench/run.sh: $build/uf_bench is not there; configure with -DUF_BENCH=ON and build" >&2
    exit 2
}
rm -f "$build/bench.json" "$build/bench.svg" "$build/chart.svg"
status=0
"$build/uf_bench" --json "$build/bench.json" --svg "$build/bench.svg" --chart "$build/chart.svg" "$@" || status=$?
echo
"$build/uf_bench_private" || status=$?
echo
"$build/uf_bench_keyed" || status=$?
echo
"$build/uf_bench_changes" || status=$?
command -v gnuplot >/dev/null || echo "gnuplot is not installed (Debian: gnuplot-nox), so there are no pictures"
for file in bench.json bench.svg chart.svg; do
    [ ! -e "$build/$file" ] || echo "wrote $build/$file"
done
if [ -x "$build/packet_gate" ]; then
    "$(dirname "$0")/packet_gate.sh" "$build" || status=$?
fi
exit $status
