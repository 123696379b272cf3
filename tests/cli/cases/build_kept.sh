# SPDX-License-Identifier: MIT
# A save that fails leaves the old file as it was, and no temporary one. A limit on file sizes stands for a full disk.
seq 1000 >keys
seq 100000 >many
for kind in $kinds; do
    build "$kind.uf" "$(seeded "$kind" 1000 0.01)" <keys
    cp "$kind.uf" "$kind.copy"
    try "ulimit -f 16; ultrafilter build -o $kind.uf --kind $kind many"
    try "cmp $kind.uf $kind.copy"
done
try 'ulimit -f 16; ultrafilter build -o new.uf many'
try 'ulimit -f 4; ultrafilter insert bloom.uf keys'
try 'ulimit -f 4; ultrafilter merge -o bloom.uf bloom.uf bloom.uf'
try 'ulimit -f 4; ultrafilter merge -o new.uf blocked.uf'
try 'ulimit -f 1; ultrafilter merge -o new.bloom --out-format dcso dcso.uf'
try 'cmp bloom.uf bloom.copy'

note "the keys break off, or cannot be had"
try 'ultrafilter build -o bloom.uf missing.txt'
try 'ultrafilter build -o bloom.uf .'
try 'ultrafilter insert bloom.uf .'
try 'ultrafilter merge -o bloom.uf bloom.uf missing.uf'
try 'cmp bloom.uf bloom.copy'

note "a report that cannot be written is an error, but the filter is there"
try 'ultrafilter build -o new.uf --kind bloom keys >/dev/full'
try 'ultrafilter query -c new.uf keys'

note "nothing but what was here"
try 'ls -A'
