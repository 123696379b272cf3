# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2016,SC2034
# What is read is read once, whatever it is: a file, a pipe, a FIFO, standard input. Every command finds the same keys.
seq 10000 >members
quietly ultrafilter build -o exact.uf --spec bloom:n=10000,bits=160000,k=1,seed=0x5eed members

# through COMMAND FILE: runs the command line with FILE in place of IN: as a file, by three ways through a pipe.
through() {
    [ ! -e fifo ] || rm fifo
    for way in "$2" /dev/stdin - fifo; do
        [ "$way" != fifo ] || { mkfifo fifo && cat "$2" >fifo & }
        while [ "$way" = fifo ] && [ ! -p fifo ]; do :; done
        printf '%s: ' "$way"
        cat "$2" | timeout 20 sh -c "$(echo "$1" | sed "s|IN|$way|g")" || echo "exit $?"
    done
    wait
}
note "publish keeps every key"
through 'ultrafilter publish -q -o p.uf --epsilon 20 -n 10000 IN && ultrafilter query -c p.uf members' members
through 'ultrafilter publish -q -o p.uf --epsilon 20 --mechanism dime --universe range:1-20000 IN && ultrafilter query -c p.uf members' members
through 'ultrafilter publish -q -o p.uf --epsilon 20 --mechanism dime --universe file:IN members && ultrafilter query -c p.uf members' members
note "and knows a filter"
through 'ultrafilter publish -o p.uf --epsilon 8 IN 2>/dev/null | head -n 1' exact.uf
note "so do the others"
through 'ultrafilter build -q -o b.uf IN && ultrafilter query -c b.uf members' members
through 'ultrafilter query -c exact.uf IN' members
through 'ultrafilter query -c IN members' exact.uf
through 'ultrafilter info IN | sed -n "2p; /Spec/p"' exact.uf
through 'ultrafilter merge -q -o m.uf IN && cmp m.uf exact.uf && echo the same' exact.uf
through 'cp exact.uf i.uf && ultrafilter insert -q i.uf IN && cmp i.uf exact.uf && echo the same' members

note "once"
try 'cat exact.uf | ultrafilter query - -'
try 'cat exact.uf | ultrafilter query --mmap - members'
try 'cat members | ultrafilter query -c /dev/stdin members'

note "a filter to a pipe: the same bytes, and the report on stderr"
spec=bloom:n=10000,bits=160000,k=1,seed=0x5eed
try 'ultrafilter build -o - --spec $spec members | cmp - exact.uf && echo the same'
try 'ultrafilter build -q -o /dev/stdout --spec $spec members | cmp - exact.uf && echo the same'
try 'ultrafilter build -q -o - --spec $spec members >o.uf; cmp o.uf exact.uf && echo the same'
try 'mkfifo out; cat out >o.uf & ultrafilter build -o out --spec $spec members; wait; cmp o.uf exact.uf && echo the same'
try 'ultrafilter merge -o - exact.uf o.uf | cmp - exact.uf && echo the same'
try 'ultrafilter rebuild -q -o - --like exact.uf members | ultrafilter query -c - members'
try 'ultrafilter publish --json -o - --epsilon 20 -n 10000 members 2>report | ultrafilter query -c - members; grep -c file_bytes report'
try 'ultrafilter build -q -o - members | gzip | ultrafilter query -c - members'
try 'ultrafilter build -o - members >/dev/full'
try 'cp members copy; ultrafilter build -o - copy >>copy; cmp copy members'
try 'cat exact.uf | ultrafilter insert - members'
