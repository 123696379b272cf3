# SPDX-License-Identifier: MIT
# The seed's form: addresses and payloads of 32 bits as people write them, and lines that are none.
with='--ask ask.txt --answers answers.txt --seed 1'
printf '10.0.0.1\n' >ask.txt
echo '"ABCD"' >patterns.txt
for line in '10.0.0.1 0x41424344' '0x0a000001 1094861636' '167772161,0x41424344' \
    '00001010000000000000000000000001 01000001010000100100001101000100' \
    '0000101000000000000000000000000101000001010000100100001101000100' \
    '   10.0.0.1	0x41424344  '; do
    for repeat in 1 2 3; do printf '%s\r\n' "$line"; done >packets.txt
    try "packet_gate --lines packets.txt --patterns patterns.txt $with >report && cat answers.txt # $line"
done

note "what is no packet; those before it are used"
for line in '10.0.0.1' '10.0.0.256 1' '10.0.0.1 0x1 0x2' '10.0.0.1 0x123456789' '10.0.0.1 -1' '10.0.0.1 x' '4294967296 1' \
    '10.0.0.1 0x' '010.0.0.1 1' 'hello world' ',' ' , ,'; do
    printf '# a comment\n\n10.0.0.1 1\n%s\n' "$line" >packets.txt
    try "packet_gate --lines packets.txt $with >report || echo status \$?; cat answers.txt # $line"
done
printf '10.0.0.1 1\0\n' >packets.txt
try "packet_gate --lines packets.txt $with >report"
: >packets.txt
try "packet_gate --lines packets.txt $with | head -n 2 | sed 's/in .*/in TIME/'"
try 'packet_gate --lines missing.txt'
try 'packet_gate --lines . >report'

note "generated"
quietly packet_gate generate --lines -o packets.txt --packets 50000 --sources 1000 --length 7 --seed 2 --folder t
try 'head -n 2 packets.txt; packet_gate --lines packets.txt --patterns t/patterns.txt --deny t/deny.txt --ask t/truth.txt \
    --answers answers.txt --exact --seed 1 >report; diff t/truth.txt answers.txt; grep "exact verdicts" report'
