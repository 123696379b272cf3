# SPDX-License-Identifier: MIT
# What run.sh and planted.sh share: the build of the libFuzzer programs, and a run of one.
# shellcheck shell=sh

# The search for leaks stops the whole process; harnesses count what they hand out, and make check replays the corpora with it.
ASAN_OPTIONS=allocator_may_return_null=1:detect_leaks=0:quarantine_size_mb=16:malloc_context_size=4:symbolize=${FUZZ_SYMBOLIZE:-1}
UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1
export ASAN_OPTIONS UBSAN_OPTIONS

# fuzz_build SOURCE BUILD: all programs, in BUILD.
fuzz_build() {
    cmake -S "$1" -B "$2" -DCMAKE_C_COMPILER=clang -DUF_TESTS=ON -DUF_HOSTS=ON -DUF_FUZZ=ON \
        -DUF_SANITIZE=address,undefined -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_FLAGS_RELEASE="-O2 -g1" >/dev/null &&
        cmake --build "$2" -j "${JOBS:-$(nproc)}" --target fuzz_programs -- --no-print-directory -s
}

# fuzz_names BUILD: the harnesses there are.
fuzz_names() {
    for program in "$1"/fuzz_*_planted; do
        name=${program##*/fuzz_}
        echo "${name%_planted}"
    done
}

# fuzz_run PROGRAM LOG OPTION...: runs it, and what it says goes to LOG. Fails when it found something. In `seconds` is the
# time of a processor that it took: what others do on the machine does not count.
fuzz_run() {
    program=$1
    log=$2
    shift 2
    seconds=$({
        "$program" -print_final_stats=1 -timeout=60 -rss_limit_mb=4096 -entropic=0 "$@" >"$log" 2>&1
        echo $? >"$log.status"
        times
    } | awk 'NR == 2 { gsub("s", ""); split($1, a, "m"); split($2, b, "m"); printf "%.1f", 60 * (a[1] + b[1]) + a[2] + b[2] }')
    return "$(cat "$log.status")"
}
