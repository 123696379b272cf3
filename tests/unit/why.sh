#!/bin/sh
# SPDX-License-Identifier: MIT
# Every function of the header that takes a uf_error is called in test_why.c, inside of quiet().
# usage: why.sh HEADER TEST
set -eu
LC_ALL=C
export LC_ALL
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# Declarations end at ";", on the same line or a later one.
awk 'BEGIN { RS = ";" } /UF_API/ && /uf_error \*why\)/ { sub(/.*UF_API /, ""); sub(/\(.*/, ""); sub(/.*[ *]/, ""); print }' \
    "$1" | sort >"$dir/declared"
count=$(wc -l <"$dir/declared")
if [ "$count" -ne "$(grep -c 'uf_error \*why)' "$1")" ] || [ "$count" -lt 50 ]; then
    echo "why.sh does not understand every declaration of $1" >&2
    exit 1
fi
grep -o 'quiet(uf_[a-z0-9_]*' "$2" | sed 's/.*(//' | sort -u >"$dir/called"
diff -u "$dir/declared" "$dir/called" || {
    echo "functions that take a uf_error (-) and those that $2 calls (+) differ" >&2
    exit 1
}
echo "$count functions, declared and called alike"
