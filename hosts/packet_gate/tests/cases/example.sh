# SPDX-License-Identifier: MIT
# The worked example of hosts/packet_gate/README.md, by hand, in the seed's own form; and that README shows the same.
cat >patterns.txt <<'EOF'
deadbeef 00c0ffee
"EVIL"
EOF
echo 203.0.113.66 >deny.txt
cat >packets.txt <<'EOF'
10.0.0.1     0x00000001
10.0.0.2     0xdeadbeef
203.0.113.66 0x00000001
10.0.0.1     0x00000002
10.0.0.2     0x00c0ffee
10.0.0.2     0x4556494c
10.0.0.2     0x00004556
10.0.0.3     0x4556494c
10.0.0.2     0x494c0000
10.0.0.2     0x00000003
EOF
printf '10.0.0.1\n10.0.0.2\n10.0.0.3\n10.0.0.4\n203.0.113.66\n' >ask.txt
try 'packet_gate --lines packets.txt --patterns patterns.txt --deny deny.txt --ask ask.txt --exact --seed 1 |
    sed "s/in [0-9.]* s, [0-9,]* a second/in TIME/"'

note "the same words are in README.md"
sed -n '/^```$/,/^```$/p' "$SOURCE/hosts/packet_gate/README.md" >readme
for word in "$(sed -n 2p packets.txt)" "deadbeef 00c0ffee" "10.0.0.2 bad" "10.0.0.4 unknown" "sources moved from good to bad: 1"; do
    grep -q -F -- "$word" readme || echo "README.md lacks: $word"
done
