# SPDX-License-Identifier: MIT
# What the parts have in common. A part is called as `parts/NAME short|full BUILD` and prints figures (figure.h); what it
# lacks it builds first. Exit status 1: something went wrong.
# shellcheck shell=sh
set -eu
size=${1:?short or full} build=${2:?a build folder}
torture=$(cd "$(dirname "$0")/.." && pwd)
source=$torture/../..

# Files that are written a million times: in memory, where that is possible.
if [ -z "${TMPDIR:-}" ] && [ -w /dev/shm ]; then
    TMPDIR=/dev/shm
    export TMPDIR
fi

# needs PROGRAM...: built when they are missing.
needs() {
    for program; do
        [ -x "$build/$program" ] && continue
        cmake -S "$source" -B "$build" -DUF_TESTS=ON >&2
        cmake --build "$build" -j "$(nproc)" --target "$program" >&2
    done
}

# commands WHAT,...: torture_commands on the programs that were built.
commands() {
    needs ultrafilter ultrafilter-lab torture_commands libtorture_refuse.so
    "$build/torture_commands" "$1" "$size" "$build/ultrafilter" "$build/libtorture_refuse.so"
}

# figures_of SCRIPT ARGUMENT PROGRAM: what a script of the tests prints, as figures, by a program for awk. All of it goes to
# standard error, too. That the script failed is a figure of its own.
figures_of() {
    { "$1" "$2" || printf 'exit status of a script\t%s\n' $?; } | tee -a /dev/stderr | awk -v OFS='\t' "$3"'
        /^exit status of a script\t/ { sub(/.*\t/, ""); print "exit status", $0, "0", "failed", "see stderr"; failed = 1 }
        END { exit failed }'
}
