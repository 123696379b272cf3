# SPDX-License-Identifier: MIT
# With the address sanitizer: what was taken is given back, also when a run fails half-way. Looking for leaks takes
# seconds a process on some machines, so no other case does it.
sanitized || skip "built without the address sanitizer"
quietly packet_gate generate -o a.pcap --packets 1000 --sources 50 --seed 1 --folder t
head -c 5000 a.pcap >cut.pcap
echo nonsense >list.txt
ASAN_OPTIONS=detect_leaks=1:exitcode=99
export ASAN_OPTIONS
try 'packet_gate generate -o b.pcap --packets 1000 --sources 50 --seed 1; cmp a.pcap b.pcap'
try 'packet_gate cut.pcap --exact --json --patterns t/patterns.txt --deny t/deny.txt --ask t/truth.txt --seed 1 >report'
try 'packet_gate a.pcap --exact --patterns t/patterns.txt --ask list.txt --seed 1'
try 'packet_gate a.pcap --patterns t/patterns.txt --keep state --output b.pcap --verdicts /dev/null --seed 1 >report'
try 'packet_gate a.pcap --patterns t/patterns.txt --keep state --exact --seed 1'
try 'packet_gate a.pcap --output missing/b.pcap --verdicts /dev/null --seed 1'
