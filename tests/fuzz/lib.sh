# SPDX-License-Identifier: MIT
# What run.sh and planted.sh share: the build of the libFuzzer programs, and a run of one. They set `here`, this folder.
# shellcheck shell=sh disable=SC2034,SC2154

# The search for leaks stops the whole process; harnesses count what they hand out, and make check replays the corpora with it.
ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0:quarantine_size_mb=1:thread_local_quarantine_size_kb=64:malloc_context_size=2:symbolize=${FUZZ_SYMBOLIZE:-1}
UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export ASAN_OPTIONS UBSAN_OPTIONS

# fuzz_start BUILD [NAME...]: all programs, in BUILD-fuzz. `build` is that folder then, `names` the harnesses that are asked for, here or
# in FUZZ, or all.
fuzz_start() {
    build=$1-fuzz
    shift
    cmake -S "$here/../.." -B "$build" -DCMAKE_C_COMPILER=clang -DUF_TESTS=ON -DUF_HOSTS=ON -DUF_FUZZ=ON \
        -DUF_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O2 -g1" >/dev/null &&
        cmake --build "$build" -j "${JOBS:-$(nproc)}" --target fuzz_programs -- --no-print-directory -s >&2 || exit 1
    build=$(cd "$build" && pwd)
    names=$*
    [ $# -gt 0 ] || names=${FUZZ:-$(fuzz_names)}
}

# fuzz_names: the harnesses there are.
fuzz_names() {
    for program in "$build"/fuzz_*_planted; do
        name=${program##*/fuzz_}
        echo "${name%_planted}"
    done
}

# fuzz_run NAME PROGRAM LOG OPTION...: runs a program of the harness, with its dictionary and its limit, and what it says goes to
# LOG. Fails when it found something. In `seconds` is the time of a processor that it took: what others do on the
# machine does not count.
fuzz_run() {
    dictionary=$here/dictionaries/$1
    most_bytes=$(awk -v name="$1" '$1 == name { print $2 }' "$here/limits.txt")
    program=$2
    log=$3
    shift 3
    [ ! -f "$dictionary" ] || set -- "-dict=$dictionary" "$@"
    seconds=$({
        "$program" -print_final_stats=1 -timeout=60 -rss_limit_mb=4096 -print_funcs=0 -max_len="${most_bytes:-4096}" "$@" >"$log" 2>&1
        echo $? >"$log.status"
        times
    } | awk 'NR == 2 { gsub("s", ""); split($1, a, "m"); split($2, b, "m"); printf "%.1f", 60 * (a[1] + b[1]) + a[2] + b[2] }')
    return "$(cat "$log.status")"
}
