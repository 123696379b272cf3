#!/bin/sh
# SPDX-License-Identifier: MIT
# Two clones in two folders, of names of other lengths, built apart: libraries and program must have the same bytes. What
# is committed counts, and no cache of compilers takes part.
# usage: tests/reproducible.sh [JOBS]
set -eu
source=$(cd "$(dirname "$0")/.." && pwd)
jobs=${1:-$(nproc)}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CCACHE_DISABLE=1
export CCACHE_DISABLE
for folder in "$work/one" "$work/another-place/of-it"; do
    git clone -q --no-hardlinks "$source" "$folder"
    cmake -S "$folder" -B "$folder/build" -DUF_HOSTS=OFF -DUF_LAB=OFF >/dev/null
    cmake --build "$folder/build" -j "$jobs" --target uf_shared uf_static ultrafilter -- --no-print-directory -s >&2
done
failed=0
for file in libultrafilter.so libultrafilter.a ultrafilter; do
    if cmp "$work/one/build/$file" "$work/another-place/of-it/build/$file" >&2; then
        echo "$file: the same $(stat -L -c %s "$work/one/build/$file") bytes"
    else
        echo "$file: differs"
        failed=1
    fi
done
exit $failed
