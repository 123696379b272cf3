# SPDX-License-Identifier: MIT
# Options, lists and files that are wrong: one sentence and status 2.
quietly packet_gate generate -o a.pcap --packets 1000 --sources 50 --seed 1 --folder t

note "options"
try 'packet_gate'
try 'packet_gate a.pcap b.pcap'
try 'packet_gate a.pcap --lines b.txt'
try 'packet_gate a.pcap --what 2>&1 | sed "s/^.*packet_gate: /packet_gate: /"'
try 'packet_gate a.pcap --strikes 0'
try 'packet_gate a.pcap --strikes 256'
try 'packet_gate a.pcap --strikes 1.5'
try 'packet_gate a.pcap --sources 0'
try 'packet_gate a.pcap --sources 1e12'
try 'packet_gate a.pcap --seconds nan'
try 'packet_gate a.pcap --packets -1'
try 'packet_gate a.pcap --seed x'
try 'packet_gate a.pcap --answers x'
try 'packet_gate - --ask -'
try 'packet_gate a.pcap --good bloom:n=100'
try 'packet_gate a.pcap --good counting:n=0'
try 'packet_gate a.pcap --bad ribbon:n=100'
try 'packet_gate a.pcap --bad nonsense 2>&1 | sed "s|: the kinds are.*||"'
try 'packet_gate --live no-such-interface 2>&1 | grep -o "no-such-interface: "'

note "patterns"
pattern() { printf '%b' "$1" >p.txt && packet_gate a.pcap --patterns p.txt; }
for text in '' '# nothing\n' 'abc\n' 'xy\n' '0b0101\n' '0b01010102\n' '"open\n' '""\n' '0x\n' '41\nzz\n' 'd e\n' '"\n' '01010101\n' '1010\n' '00 01\n' '0bad\n'; do
    try "pattern '$text'"
done
printf '0b01010101\n0x01010101\n00 0a\n' >p.txt
try 'packet_gate a.pcap --patterns p.txt --json | sed -n "/patterns/,/count/p"'
awk 'BEGIN { for (i = 0; i < 100000; i++) printf "41"; print "" }' >p.txt
try 'packet_gate a.pcap --patterns p.txt | grep -o "^Patterns  1,"'
try 'packet_gate a.pcap --patterns missing.txt'
try 'packet_gate a.pcap --patterns .'

note "lists"
printf '10.0.0.1\n10.0.0\n' >list.txt
try 'packet_gate a.pcap --deny list.txt'
try 'packet_gate a.pcap --ask list.txt --answers answers.txt; ls answers.txt 2>&1 | grep -c "No such"'
printf '10.0.0.1 goo\n' >list.txt
try 'packet_gate a.pcap --ask list.txt --answers answers.txt'
try 'packet_gate a.pcap --deny missing.txt'
try 'packet_gate a.pcap --ask missing.txt --answers answers.txt'
try 'packet_gate a.pcap --deny .'
seq 1 300 >list.txt
try 'packet_gate a.pcap --deny list.txt --bad bloom:n=200'

note "filters that are too small for what comes"
try 'packet_gate a.pcap --good counting:n=10 --seed 1 >report || echo status $?; grep -o "[0-9]* added.*full;" report'
try 'packet_gate a.pcap --patterns t/patterns.txt --bad bloom:n=1 --seed 1 >report || echo status $?; grep -c full report'

note "what cannot be written"
try 'packet_gate a.pcap >/dev/full'
try 'packet_gate a.pcap --json >/dev/full'
try 'packet_gate --help >/dev/full'
try 'packet_gate a.pcap --ask t/truth.txt --answers /dev/full >report'
try 'packet_gate a.pcap --ask t/truth.txt --answers missing/answers >report'

note "generate"
try 'packet_gate generate'
try 'packet_gate generate -o x.pcap y'
try 'packet_gate generate -o x.pcap --link token-ring'
try 'packet_gate generate -o x.pcap --attack-share 2'
try 'packet_gate generate -o x.pcap --length 1'
try 'packet_gate generate -o x.pcap --lines --ipv6 0.5'
try 'packet_gate generate -o /dev/full --packets 1000 --sources 10'
try 'packet_gate generate -o missing/x.pcap --packets 1000 --sources 10'
try 'packet_gate generate -o x.pcap --packets 10 --folder missing/t'
try '(ulimit -f 8; packet_gate generate -o x.pcap --packets 1000 --sources 10); ls x.pcap 2>&1 | grep -c "No such"'
