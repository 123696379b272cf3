# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2016,SC2034
# Processes that change one file take turns: what was acknowledged is there.
seq 100000 100009 >first
build a.uf "$(seeded bloom 2000 1e-9)" <first

note "eight at once, a batch after the other, and merges and removals between them"
build c.uf "$(seeded counting 2000 1e-9)" <first
ultrafilter merge -q -o one.uf a.uf
inserts() {
    for batch in 1 2 3 4 5; do
        seq "$1$batch"01 "$1$batch"20 | ultrafilter insert -q a.uf || echo "a batch failed"
        seq "$1$batch"01 "$1$batch"20 | ultrafilter insert -q c.uf || echo "a batch failed"
        seq "$1$batch"11 "$1$batch"20 | ultrafilter remove -q c.uf || echo "a removal failed"
        ultrafilter merge -q -o a.uf a.uf one.uf || echo "a merge failed"
    done
}
for process in 1 2 3 4 5 6 7 8; do
    inserts "$process" &
done
wait
for process in 1 2 3 4 5 6 7 8; do
    for batch in 1 2 3 4 5; do
        seq "$process$batch"01 "$process$batch"20 >>all
        seq "$process$batch"01 "$process$batch"10 >>left
        seq "$process$batch"11 "$process$batch"20 >>gone
    done
done
try 'ultrafilter query -c a.uf all'
try 'ultrafilter query -c c.uf left; ultrafilter query -c c.uf gone'
files_in .

note "who waits says for whom"
mkfifo pipe
ultrafilter insert -q a.uf pipe &
first=$!
exec 3>pipe # once it reads from there, it has the lock
echo late >&3
echo soon | ultrafilter insert -q a.uf 2>waits 3>&- &
for _ in $(seq 300); do
    ! grep -q waiting waits || break
    sleep 0.1
done
echo later >&3
exec 3>&-
wait
try 'sed "s/process $first /process FIRST /" waits'
try 'printf "%s\n" late later soon | ultrafilter query -c a.uf'
