# SPDX-License-Identifier: MIT
# What the cases are written with. A case runs in an empty folder under `sh -eu`; ultrafilter
# and ultrafilter-lab are in PATH.
# shellcheck shell=sh

# try 'COMMAND LINE': shows the line, its output and its exit status; lines of stderr begin with "! ". Digits past the
# eighth decimal are left out, as machines may differ there, and so is the name of the folder.
try() {
    printf '$ %s\n' "$1"
    code=0
    (eval "$1") >"$TMPDIR/stdout" 2>"$TMPDIR/stderr" || code=$?
    sed "s/\\(\\.[0-9]\\{8\\}\\)[0-9]*/\\1/g; s|$PWD|FOLDER|g" "$TMPDIR/stdout"
    sed "s/^/! /; s|$PWD|FOLDER|g" "$TMPDIR/stderr"
    echo "[exit $code]"
}

# quietly COMMAND...: for preparations. Shows the command only when it fails, and ends the case.
quietly() {
    "$@" >"$TMPDIR/quiet" 2>&1 && return
    echo "failed: $*"
    cat "$TMPDIR/quiet"
    exit 1
}

note() { printf '\n# %s\n' "$*"; }

# skip REASON: the case cannot run here.
skip() {
    echo "skipped: $*"
    exit 77
}

needs() { command -v "$1" >/dev/null || skip "$1 is not installed"; }

# Memory under a sanitizer says nothing about ours.
sanitized() { grep -q -e __asan_init -e __tsan_init "$PROGRAM"; }
not_sanitized() { ! sanitized || skip "memory is not measured under a sanitizer"; }

# under_valgrind PROGRAM...: from here on these run under valgrind, which tells of memory that is lost or read wrongly.
under_valgrind() {
    mkdir "$TMPDIR/valgrind"
    for program; do
        printf '#!/bin/sh\nexec valgrind -q --leak-check=full --show-leak-kinds=definite,indirect --error-exitcode=99 "%s" "$@"\n' \
            "$(command -v "$program")" >"$TMPDIR/valgrind/$program"
        chmod +x "$TMPDIR/valgrind/$program"
    done
    PATH=$TMPDIR/valgrind:$PATH
}

kinds='blocked bloom ribbon dcso'

# commands [PROGRAM]: every command, as --help lists them.
commands() { "${1:-ultrafilter}" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'; }

# seeded KIND N FPR: a spec that gives the same file each time.
seeded() {
    case $1 in
    dcso) echo "dcso:n=$2,fpr=$3" ;; # its hash has no seed
    *) echo "$1:n=$2,fpr=$3,seed=0x5eed" ;;
    esac
}

# build FILE SPEC: from the keys on stdin.
build() { quietly ultrafilter build -o "$1" --spec "$2"; }

# put FILE OFFSET ESCAPES: overwrites bytes, given as printf writes them ('\001\377').
put() {
    # shellcheck disable=SC2059
    printf "$3" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

size_of() { wc -c <"$1" | tr -d ' '; }

# What lies in a folder, in one line.
files_in() { ls -A "$1" | tr '\n' ' ' | sed 's/ $//'; }

# Seeds are drawn for each filter.
mask_seeds() { sed 's/seed=0x[0-9a-f]*/seed=0xSEED/g'; }

# So the rate of a filter with a seed of its own, as it is now, is never twice the same.
mask_now() { sed 's/FPR [^ ]* % now/FPR RATE % now/'; }

# Ids of releases follow from bytes that are drawn.
mask_ids() { sed 's/[0-9a-f]\{32\}/ID/g'; }

# The keys of a JSON text as jansson indents it, by depth, in order.
json_keys() { sed -n 's/^\( *\)"\([a-z0-9_]*\)":.*/\1\2/p'; }

# words LANGUAGE COUNT SEED: made-up words of twelve letters, one a line; language 0 and 1 prefer different halves of the
# alphabet.
words() {
    awk -v language="$1" -v count="$2" -v x="$3" '
        function random(below) { x = (x * 16807) % 2147483647; return int(x / 2147483647 * below) }
        BEGIN {
            x = x * 2 + 1 + language
            for (i = 0; i < 20; i++) random(2)
            for (i = 0; i < count; i++) {
                word = ""
                for (j = 0; j < 12; j++) {
                    half = random(16) < 12 ? language : 1 - language
                    word = word substr("abcdefghijklmnopqrstuvwxyz", 1 + 2 * random(13) + half, 1)
                }
                print word
            }
        }'
}

# known_key FILE NUMBER: the same key each time.
known_key() {
    case $2 in
    1) echo "ultrafilter-key-1 000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f 23b16c0b9e477122" ;;
    2) echo "ultrafilter-key-1 fff8f1eae3dcd5cec7c0b9b2aba49d968f88817a736c655e575049423b342d26 c536ce11330d5bfe" ;;
    esac >"$1"
    chmod 600 "$1"
}
