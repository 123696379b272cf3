# SPDX-License-Identifier: MIT
# What is no filter: an error that names the file, exit status 2, and never an answer.
. "$CASES/../bad.sh"

for name in $bad_uf; do
    try "ultrafilter query -v $name.uf keys"
done

note "DCSO's format is recognised"
try 'ultrafilter query -v other.bloom keys'
try 'ultrafilter merge -o converted.uf other.bloom'

note "with --format dcso"
for name in $bad_dcso; do
    try "ultrafilter query -v --format dcso $name keys"
done

note "every command looks as closely"
for name in empty noise folder missing claim4200; do
    try "ultrafilter info $name.uf"
    try "ultrafilter info --json $name.uf"
    try "ultrafilter insert $name.uf keys"
    try "ultrafilter merge -o new.uf good.uf $name.uf"
    try "ultrafilter build -o new.uf --like $name.uf keys"
    try "ultrafilter query --mmap -c $name.uf keys"
done
try 'ultrafilter insert cut.uf keys'
try 'ultrafilter query - keys </dev/null'
try 'test ! -e new.uf'
