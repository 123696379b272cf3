#!/bin/sh
# SPDX-License-Identifier: MIT
# Learned filters beside plain ones: tables, and pictures of rate against memory, in the build folder.
# usage: bench/learned/run.sh BUILD [NAME=FOLDER...]
# Without folders: German words against French and American ones; and every second German word against the others, from
# which there is nothing to learn. A folder has the lists pos, neg_train, neg_valid and neg_test, as text or as .txt or
# .txt.xz; UF_LEARNED_DATA may name more of them.
set -eu
build=$1
shift
out=$build/learned
dict=/usr/share/dict # Debian's wngerman, wfrench and wamerican
rm -rf "$out"
mkdir -p "$out"

# cut NAME: negatives from stdin, every third of them to train on, to plan with, to measure with; none is a member.
cut() {
    LC_ALL=C comm -23 - "$out/$1.lists/pos" | awk -v to="$out/$1.lists/neg_" '
        BEGIN { split("train valid test", part, " ") }
        { print >(to part[1 + NR % 3]) }'
}

words() {
    mkdir "$out/words.lists"
    LC_ALL=C sort -u $dict/ngerman >"$out/words.lists/pos"
    LC_ALL=C sort -u $dict/french $dict/american-english | cut words
}

halves() {
    mkdir "$out/halves.lists"
    LC_ALL=C sort -u $dict/ngerman | awk 'NR % 2' >"$out/halves.lists/pos"
    LC_ALL=C sort -u $dict/ngerman | cut halves
}

# unpack NAME=FOLDER
unpack() {
    mkdir "$out/${1%%=*}.lists"
    for list in pos neg_train neg_valid neg_test; do
        to=$out/${1%%=*}.lists/$list
        from=${1#*=}/$list
        if [ -r "$from" ]; then
            cp "$from" "$to"
        elif [ -r "$from.txt" ]; then
            cp "$from.txt" "$to"
        else
            xz -dc "$from.txt.xz" >"$to"
        fi
    done
}

if [ $# -eq 0 ]; then
    words
    halves
    # shellcheck disable=SC2086
    set -- ${UF_LEARNED_DATA:-}
    names="words halves"
else
    names=
fi
for data in "$@"; do
    unpack "$data"
    names="$names ${data%%=*}"
done
status=0
for name in $names; do
    "$build/uf_bench_learned" "$out" "$name=$out/$name.lists" || status=$?
    rm -rf "$out/$name.lists"
done
for file in "$out"/*.tsv "$out"/*.svg; do
    [ ! -e "$file" ] || echo "wrote $file"
done
exit $status
