# SPDX-License-Identifier: MIT
# The report as JSON: its names, and numbers that can be checked by hand.
printf '"AB"\n' >patterns.txt
printf '1 0x00414200\n1 0x41424142\n2 0x00004100\n2 0x42000000\n3 0\n1 0\n' >packets.txt
printf '1 bad\n2 good\n3 good\n4 good\n' >ask.txt
echo 5 >deny.txt
try 'packet_gate --lines packets.txt --patterns patterns.txt --deny deny.txt --ask ask.txt --exact --json --seed 1 |
    sed "s/\(seconds\|packets_per_second\|fpr_now\|expected_now\)\": [0-9.e+-]*/\1\": NUMBER/; s/\(_bytes\|\"bytes\)\": [0-9]*/\1\": NUMBER/"'
try 'packet_gate --lines packets.txt --json --seed 1 | json_keys'
