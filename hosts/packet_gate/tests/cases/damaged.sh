# SPDX-License-Identifier: MIT
# Captures that are none, or are damaged: an error that says so and status 2, after what could be read was used.
quietly packet_gate generate -o good.pcap --packets 100 --sources 5 --seed 1 --folder t
gate='packet_gate --allow-cut --seed 1'
brief() { sed -n 's/^Packets *\([0-9,]*\) in .*/read \1/p; s/^          .*malformed.*/&/p'; }

note "not a capture"
: >empty.pcap
head -c 10 good.pcap >ten.pcap
seq 1000 >text.pcap
head -c 4000 /dev/zero >zeros.pcap
mkdir folder.pcap
for name in empty ten text zeros folder missing; do
    try "$gate $name.pcap"
done
try "$gate - </dev/null"

note "cut inside a packet: its header, its bytes, or nothing but the file header"
size=$(size_of good.pcap)
for keep in 24 30 45 $((size / 2)) $((size - 1)); do
    head -c $keep good.pcap >cut.pcap
    try "$gate cut.pcap >report || echo status \$?; brief <report"
done

note "lengths from another world, in the first packet: captured, and on the wire"
for bytes in '\0\0\0\0' '\001\0\0\0' '\377\377\377\377' '\377\377\377\177' '\0\0\004\0' '\001\0\004\0'; do
    cp good.pcap odd.pcap
    put odd.pcap 32 "$bytes"
    try "$gate odd.pcap >report || echo status \$?; brief <report # captured $bytes"
    cp good.pcap odd.pcap
    put odd.pcap 36 "$bytes"
    try "$gate odd.pcap >report || echo status \$?; brief <report # on the wire $bytes"
done

note "link types: one of WLAN, one of nobody"
for bytes in '\177\0\0\0' '\377\377\377\003'; do
    cp good.pcap odd.pcap
    put odd.pcap 20 "$bytes"
    try "$gate odd.pcap"
done

note "a version that does not exist"
cp good.pcap odd.pcap
put odd.pcap 4 '\011\0'
try "$gate odd.pcap"

note "cut by the snap length: an error, unless it is allowed"
quietly packet_gate generate -o short.pcap --packets 100 --sources 5 --seed 1 --snaplen 60 --folder t
try 'packet_gate short.pcap --patterns t/patterns.txt --seed 1 >report || echo status $?; grep served report'
try 'packet_gate short.pcap --patterns t/patterns.txt --seed 1 --allow-cut >report || echo status $?; grep served report'
quietly packet_gate generate -o short.pcap --packets 100 --sources 5 --seed 1 --snaplen 20
try 'packet_gate short.pcap --patterns t/patterns.txt --seed 1 >report || echo status $?; grep served report'

note "any bytes overwritten: status 0 or 2, and nothing else"
rounds=100
[ -z "$SMALL" ] || rounds=30
small='--sources 64 --good counting:n=1000 --bad bloom:n=1000'
awk -v size="$size" -v rounds=$rounds 'BEGIN { srand(3); for (i = 0; i < rounds; i++) printf "%d \\%03o\\%03o\n", rand() * size, rand() * 256, rand() * 256 }' |
    while read -r at bytes; do
        cp good.pcap odd.pcap
        put odd.pcap "$at" "$bytes"
        code=0
        $gate $small odd.pcap --patterns t/patterns.txt >report 2>errors || code=$?
        [ $code -eq 0 ] || [ $code -eq 2 ] || echo "status $code with $bytes at $at: $(cat errors)"
        [ $code -eq 0 ] || [ -s errors ] || echo "no error with $bytes at $at"
    done
