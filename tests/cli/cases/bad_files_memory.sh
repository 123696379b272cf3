# SPDX-License-Identifier: MIT
# A file that claims to be large allocates nothing: every bad file is refused with 1 MiB more than the program
# needs to start, and a sound filter of 32 MiB is not loaded within that.
not_sanitized
. "$CASES/../bad.sh"

# The least address space, in KiB, in which the program starts.
low=256 high=1048576
while [ $((high - low)) -gt 4 ]; do
    middle=$(((low + high) / 2))
    if (ulimit -v $middle && ultrafilter --version) >/dev/null 2>&1; then high=$middle; else low=$middle; fi
done
limit=$((high + 1024))

refused=0
for name in $bad_uf; do
    [ $name != packed ] || continue # unpacking takes memory
    for how in '' --mmap; do
        code=0
        # shellcheck disable=SC2086
        (ulimit -v $limit && ultrafilter query $how -v "$name.uf" keys) >out 2>err || code=$?
        [ $code -eq 2 ] && [ ! -s out ] && grep -q "^ultrafilter: $name.uf[: ]" err && ! grep -q memory err &&
            refused=$((refused + 1)) && continue
        echo "$name.uf $how: exit $code"
        cat out err
    done
done
for name in $bad_dcso; do
    [ $name != packed.uf ] || continue
    code=0
    (ulimit -v $limit && ultrafilter query --format dcso -v "$name" keys) >out 2>err || code=$?
    [ $code -eq 2 ] && [ ! -s out ] && grep -q "^ultrafilter: $name[: ]" err && ! grep -q memory err &&
        refused=$((refused + 1)) && continue
    echo "$name: exit $code"
    cat out err
done
echo "$refused refused within 1 MiB"

try '(ulimit -v $limit && ultrafilter query -c large.uf keys)'
try '(ulimit -v $limit && ultrafilter query -j 1 -c good.uf keys)'
