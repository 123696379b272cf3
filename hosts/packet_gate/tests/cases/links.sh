# SPDX-License-Identifier: MIT
# Every link type gives the same verdicts, in a file of either byte order; and pcapng is read.
with='--patterns t/patterns.txt --deny t/deny.txt --ask t/truth.txt --seed 1'
for link in ethernet vlan raw cooked cooked2 loopback; do
    quietly packet_gate generate -o a.pcap --link $link --packets 20000 --sources 500 --ipv6 0.2 --seed 4 --folder t
    try "packet_gate a.pcap $with --answers answers.txt | grep served; diff t/truth.txt answers.txt"
done

note "the seed gives the same bytes each time, and another seed others"
quietly packet_gate generate -o again.pcap --link loopback --packets 20000 --sources 500 --ipv6 0.2 --seed 4
try 'cmp a.pcap again.pcap'
quietly packet_gate generate -o other.pcap --link loopback --packets 20000 --sources 500 --ipv6 0.2 --seed 5
try 'cmp -s a.pcap other.pcap'

note "a capture of a big-endian machine, in nanoseconds: one packet of 10.0.0.1"
{
    printf '\241\262\074\115\0\002\0\004\0\0\0\0\0\0\0\0\0\0\377\377\0\0\0\145'
    printf '\0\0\0\001\0\0\0\001\0\0\0\027\0\0\0\027'
    printf '\105\0\0\027\0\001\0\0\100\001\0\0\012\0\0\001\300\0\002\001abc'
} >big.pcap
echo '10.0.0.1' >ask.txt
try 'packet_gate big.pcap --ask ask.txt --seed 1 | head -n 1'

note "pcapng: a section, an interface of raw IP, and the same packet"
{
    printf '\012\015\015\012\034\0\0\0\115\074\053\032\001\0\0\0\377\377\377\377\377\377\377\377\034\0\0\0'
    printf '\001\0\0\0\024\0\0\0\145\0\0\0\377\377\0\0\024\0\0\0'
    printf '\006\0\0\0\070\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\027\0\0\0\027\0\0\0'
    printf '\105\0\0\027\0\001\0\0\100\001\0\0\012\0\0\001\300\0\002\001abc\0\070\0\0\0'
} >new.pcapng
try 'packet_gate new.pcapng --ask ask.txt --seed 1 | head -n 1'
try 'packet_gate - --ask ask.txt --seed 1 <new.pcapng | head -n 1'
