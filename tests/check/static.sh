# SPDX-License-Identifier: MIT
# What is checked without running anything: layout, shell scripts, two analyzers. Read by run.sh and by the table of
# torture; the caller stands in the root of the sources and sets jobs.
# shellcheck shell=sh

# files PATTERN...: those of the repository, or of the folder where it is none.
files() {
    git ls-files "$@" 2>/dev/null || for pattern; do find . -path ./build\* -prune -o -name "$pattern" -print; done
}

layout() { files '*.c' '*.h' | xargs clang-format --dry-run -Werror; }

# Everything that begins as a shell script, and what they read. Left out: SC2034 and SC2154, names that one file sets and
# another uses; SC2238, files that are called like a command; for the cases also SC3045, ulimit -v, which dash has; SC2010,
# ls | grep in folders of our own; SC2258 and SC1087, which take a comma or a bracket of ours for the shell's.
scripts() {
    # shellcheck disable=SC2046
    shellcheck -x -S warning -e SC2034,SC2154,SC2238 $(files | grep -v -e '/cases/' -e '\.expect$' -e '/corpus/' | xargs grep -lE '^#!/bin/sh|^# shellcheck shell=sh')
    found=$?
    files '*/cases/*.sh' | xargs shellcheck -s sh -S warning -e SC2034,SC2154,SC2238,SC3045,SC2010,SC2258,SC1087 || found=1
    return $found
}

# The checks are those of .clang-tidy. A build folder of clang has its command lines.
analyze() {
    files 'src/*.c' 'src/*/*.c' | sort -u | xargs -P "$jobs" -n 8 clang-tidy -quiet -p "$1" 2>/dev/null
}

# cppcheck.txt has what it is wrong about.
inspect() {
    # shellcheck disable=SC2046,SC2154
    cppcheck -q -j "$jobs" --std=c11 --enable=warning,portability,performance --suppressions-list=tests/check/cppcheck.txt \
        -Iinclude $(for folder in src/*/; do echo "-I$folder"; done) -D_GNU_SOURCE -DUF_EXPERIMENTAL --error-exitcode=1 src
}
