# SPDX-License-Identifier: MIT
# Long inputs: the order of the output is that of the input, whatever the number of threads.
lines=3000000
[ -z "$SMALL" ] || lines=300000
[ -z "$FULL" ] || lines=30000000
seq 2 2 $lines >even
build even.uf "$(seeded blocked $((lines / 2)) 1e-9)" <even
even=$(cksum <even)

for threads in 1 2 4 16; do
    [ "$(seq $lines | ultrafilter query -j $threads even.uf | cksum)" = "$even" ] && echo "-j $threads, a pipe: in order"
done
seq $lines >all
[ "$(ultrafilter query -j 4 even.uf all | cksum)" = "$even" ] && echo "-j 4, a file: in order"
[ "$(ultrafilter query -j 4 -v even.uf all | cksum)" = "$(seq 1 2 $lines | cksum)" ] && echo "-j 4 -v: in order"
[ "$(seq $lines | ultrafilter query -c even.uf)" -eq $((lines / 2)) ] && echo "-c counts the same"
[ "$(tr '\n' '\0' <all | ultrafilter query -0 -j 4 even.uf | tr '\0' '\n' | cksum)" = "$even" ] && echo "-0: in order"

note "a reader that leaves early ends it"
try 'yes 2 | ultrafilter query even.uf | head -n 2'
note "an answer comes before the input ends"
mkfifo questions answers
exec 4<>answers # opened both ways, or each end would wait for the other
ultrafilter query even.uf questions >answers 4<&- &
exec 3>questions
for number in 4 6 8; do
    echo $number >&3
    read -r answer <&4
    echo "asked $number, was told $answer"
done
exec 3>&- 4<&-
wait
note "two filters built by different numbers of threads are one"
for kind in blocked bloom ribbon; do
    for threads in 1 4; do
        quietly ultrafilter build -j $threads -o $threads.uf --spec "$(seeded $kind $lines 0.01)" all
    done
    cmp 1.uf 4.uf && echo "$kind: equal"
done
note "keys that span blocks, several files, a last line without an end: as one thread reads them"
awk 'BEGIN { for (i = 1; i <= 400; i++) printf "%05d%0" (i % 3 ? 5 : 20000) "d%s", i, 0, i < 400 ? "\n" : "" }' >long
for threads in 1 4; do
    quietly ultrafilter build -j $threads -o $threads.uf --spec "$(seeded blocked $lines 0.01)" long even long
    ultrafilter query -j $threads $threads.uf <long | cksum >$threads.found
done
cmp 1.uf 4.uf && cmp 1.found 4.found && echo "equal"
{ ultrafilter query -c -j 4 4.uf && wc -c; } <long
