# SPDX-License-Identifier: MIT
# Fewer places than sources: what is forgotten is counted, bad sources may be missed but never more than that explains, and
# memory is what the options say.
packets=100000
[ -z "$SMALL" ] || packets=20000
quietly packet_gate generate -o a.pcap --packets $packets --sources $((packets / 10)) --seed 6 --folder t

field() { sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p" report.json | head -n 1; }

# with PLACES: the share of bad sources that are missed, and whether the counts explain it.
with() {
    code=0
    packet_gate a.pcap --exact --json --patterns t/patterns.txt --deny t/deny.txt --ask t/truth.txt --answers answers.txt \
        --sources "$1" --good counting:n=$packets,fpr=0.001 --bad bloom:n=$packets,fpr=0.001 --seed 9 >report.json 2>errors || code=$?
    echo "$2: exit $code, exact verdicts that are wrong: $(field exact_wrong)"
    sed 's/[0-9][0-9]*/N/g' errors
    [ "$(field evicted)" -gt 0 ] && echo "  sources were forgotten"
    [ "$(field missed)" -gt 0 ] && echo "  bad sources were missed"
    [ "$(field missed)" -le "$(field lost_history)" ] && echo "  not more than history was lost"
    field memory_bytes >memory."$3"
}
with $((packets / 5)) "two places a source" 1
with $((packets / 40)) "one place for four sources" 2
with 8 "eight places" 3

note "a tenth of the packets, and of the sources, need the same memory"
quietly packet_gate generate -o a.pcap --packets $((packets / 10)) --sources $((packets / 100)) --seed 6 --folder t
with 8 "eight places" 4
cmp memory.3 memory.4

note "without a truth to compare with, it says what it cannot know"
quietly packet_gate generate -o a.pcap --packets 5000 --sources 500 --seed 6 --folder t
try 'packet_gate a.pcap --patterns t/patterns.txt --sources 64 --seed 9 >report'
try 'packet_gate a.pcap --patterns t/patterns.txt --sources 1000 --seed 9 >report'
