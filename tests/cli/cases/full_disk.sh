# SPDX-License-Identifier: MIT
# A disk that is full: an error, the old file, no temporary one. On a small tmpfs of our own, where we may mount it.
seq 1000 >keys
mkdir disk
mount -t tmpfs -o size=256k tmpfs disk 2>/dev/null || skip "mounting a small disk is not permitted"
trap 'umount disk' EXIT

build disk/f.uf "$(seeded bloom 1000 0.01)" <keys
cp disk/f.uf before
try 'seq 1000000 | ultrafilter build -o disk/new.uf'
try 'seq 1000000 | ultrafilter build -o disk/f.uf'
try 'cmp before disk/f.uf; ls -A disk'
try 'cp before disk/g.uf; head -c 300000 /dev/zero >disk/rest 2>/dev/null; ultrafilter insert disk/f.uf keys'
try 'ultrafilter merge -o disk/f.uf disk/f.uf disk/g.uf'
try 'cmp before disk/f.uf; ls -A disk'
try 'rm disk/rest; seq 2000 | ultrafilter insert -q disk/f.uf; ultrafilter query -c disk/f.uf keys'
