# SPDX-License-Identifier: MIT
# Under valgrind: what was taken is given back, also when a run fails half-way.
needs valgrind
quietly packet_gate generate -o a.pcap --packets 1000 --sources 50 --seed 1 --folder t
head -c 5000 a.pcap >cut.pcap
echo nonsense >list.txt
under_valgrind packet_gate
try 'packet_gate generate -o b.pcap --packets 1000 --sources 50 --seed 1; cmp a.pcap b.pcap'
try 'packet_gate cut.pcap --exact --json --patterns t/patterns.txt --deny t/deny.txt --ask t/truth.txt --seed 1 >report'
try 'packet_gate a.pcap --exact --patterns t/patterns.txt --ask list.txt --seed 1'
try 'packet_gate a.pcap --patterns t/patterns.txt --keep state --output b.pcap --verdicts /dev/null --seed 1 >report'
try 'packet_gate a.pcap --patterns t/patterns.txt --keep state --exact --seed 1'
try 'packet_gate a.pcap --output missing/b.pcap --verdicts /dev/null --seed 1'
