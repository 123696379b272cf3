# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2016
# insert --new prints what was new, remove --refused what stayed; neither before the file is saved.
build seen.uf "$(seeded bloom 60000 1e-9)" </dev/null

note "what was new, once"
try 'printf "b\na\nb\n" | ultrafilter insert --new seen.uf'
try 'printf "a\nc\nb\nd" | ultrafilter insert --new seen.uf'
try 'ultrafilter insert --new seen.uf -e a -e e'
try 'ultrafilter insert --new seen.uf -e a -e e'
try 'printf "1,x\n2,a\n" | ultrafilter insert --new --field 2 seen.uf'
try 'ultrafilter insert --new --json seen.uf -e a'

note "kinds that remove, and one that leaves out what was removed"
build c.uf "$(seeded counting 100 1e-9)" </dev/null
try 'printf "a\na\n" | ultrafilter insert --new c.uf; ultrafilter remove -q c.uf -e a; ultrafilter query c.uf -e a'
build t.uf "tombstone:n=100,fpr=1e-9,removed=10,seed=0x5eed" </dev/null
try 'ultrafilter insert --new t.uf -e a -e b; ultrafilter remove -q t.uf -e a; ultrafilter insert --new t.uf -e a -e c'

note "a list that does not fit into memory waits in a file, of which nothing is left"
seq 200000 250000 | awk '{ printf "%s-%040d\n", $1, 0 }' >long
try 'ultrafilter insert --new seen.uf long | cmp - long && echo "all of them, in their order"; files_in "$TMPDIR"'
cp seen.uf before.uf
try 'sed s/-/+/ long | TMPDIR=missing ultrafilter insert --new seen.uf; cmp seen.uf before.uf'

note "when nothing is saved, nothing is printed"
build r.uf "bloom:n=3,fpr=1e-9,full=refuse,seed=0x5eed" </dev/null
try 'seq 9 | ultrafilter insert --new r.uf; ultrafilter query -c r.uf -e 1'
try 'printf "61\nzz\n" | ultrafilter insert --new --hex r.uf; ultrafilter query -c r.uf -e a'

note "and what is printed is saved: when it cannot be printed, it is in"
try 'ultrafilter insert --new seen.uf -e full >/dev/full; ultrafilter query seen.uf -e full'

note "of four processes that add the same keys, one prints each"
build four.uf "$(seeded bloom 2000 1e-9)" </dev/null
seq 1000 | sort >all
for process in 1 2 3 4; do
    split -n "l/5" all "part$process-"
    for part in "part$process"-*; do ultrafilter insert --new four.uf "$part"; done >"new$process" &
done
wait
try 'sort new1 new2 new3 new4 | cmp - all && echo "each once"'

note "remove --refused"
try 'ultrafilter remove --refused c.uf -e a -e x; ultrafilter insert -q c.uf -e b; ultrafilter remove --refused c.uf -e b'
try 'ultrafilter remove --refused --json c.uf -e a'
build k.uf "tombstone:n=100,fpr=1e-9,removed=2,full=refuse,seed=0x5eed" </dev/null
quietly ultrafilter insert k.uf -e 1 -e 2 -e 3 -e 4 -e 5
try 'seq 6 | ultrafilter remove k.uf'
try 'seq 6 | ultrafilter remove --refused k.uf 2>/dev/null'
try 'ultrafilter remove --json k.uf -e 5 | tail -n 4'
