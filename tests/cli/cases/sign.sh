# SPDX-License-Identifier: MIT
# Signatures: made, checked, refused; and query that gives no answer from a file that nobody has signed.

known_key a.key 1
known_key b.key 2
seq 1 100 >keys
build list.uf bloom:n=100,fpr=0.01,seed=0x5eed <keys

note "verify keys"
try 'ultrafilter keygen --public --key-file a.key -o a.pub; cat a.pub'
try 'ultrafilter keygen --public --json --key-file b.key -o b.pub'
try 'ultrafilter keygen --public --key-file a.key -o a.pub -q; stat -c %a a.pub'
try 'ultrafilter keygen --public -o c.pub'
try 'ultrafilter keygen --key-file a.key -o c.key'
try 'ultrafilter keygen --public --key-file a.key -o -'

note "sign and verify"
try 'ultrafilter sign --key-file a.key list.uf; cat list.uf.sig'
try 'ultrafilter verify --verify-key a.pub list.uf'
try 'ultrafilter verify --json --verify-key a.pub list.uf'
try 'ultrafilter verify -q --key-file a.key list.uf'
try 'ultrafilter verify --verify-key b.pub list.uf'
try 'ultrafilter verify --key-file b.key list.uf'
try 'ultrafilter verify list.uf'
try 'ultrafilter verify --verify-key a.pub --key-file a.key list.uf'
try 'ultrafilter verify --verify-key keys list.uf'
try 'ultrafilter verify --verify-key a.key list.uf'
try 'ultrafilter verify --verify-key a.pub --signature nowhere.sig list.uf'
try 'ultrafilter sign list.uf'
try 'ultrafilter sign --key-file a.key keys'
try 'ultrafilter sign --key-file a.key nowhere.uf'
try 'ultrafilter sign --key-file a.key -o nowhere/list.sig list.uf'
ln -s list.uf link.uf
try 'ultrafilter sign --key-file a.key -o list.uf list.uf'
try 'ultrafilter sign --key-file a.key -o ./list.uf link.uf'
try 'ultrafilter sign --json --key-file a.key -o other.sig list.uf; cmp list.uf.sig other.sig'

note "query"
try 'ultrafilter query -c --verify-key a.pub list.uf keys'
try 'ultrafilter query -c --verify-key a.pub --signature other.sig list.uf keys'
try 'ultrafilter query -c --verify-key b.pub list.uf keys'
try 'ultrafilter query -c --verify-key a.pub --mmap list.uf keys'
try 'ultrafilter query -c --verify-key a.pub --format dcso list.uf keys'
try 'ultrafilter query -c --mac list.uf keys'
try 'ultrafilter query -c --mac --key-file a.key list.uf keys'
try 'ultrafilter query -c --mac --key-file b.key list.uf keys'

note "altered with all checksums right: another filter, or more keys"
cp list.uf signed.uf
seq 101 110 | quietly ultrafilter insert list.uf
try 'ultrafilter query -c list.uf keys'
try 'ultrafilter query -c --verify-key a.pub list.uf keys'
try 'ultrafilter verify --verify-key a.pub list.uf'
build list.uf bloom:n=100,fpr=0.01,seed=0x5eed </dev/null
try 'ultrafilter query -c --verify-key a.pub list.uf keys'
try 'ultrafilter query -c --verify-key a.pub signed.uf keys'
try 'ultrafilter query -c --verify-key a.pub --signature list.uf.sig signed.uf keys'
cp signed.uf list.uf
echo "ultrafilter-signature-3 ed25519 00 00" >list.uf.sig
try 'ultrafilter query -c --verify-key a.pub list.uf keys'
head -c 100 other.sig >list.uf.sig
try 'ultrafilter query -c --verify-key a.pub list.uf keys'

note "one's own"
try 'ultrafilter sign --mac --key-file a.key list.uf; cut -c1-50 list.uf.sig'
try 'ultrafilter verify --key-file a.key list.uf'
try 'ultrafilter query -c --mac --key-file a.key list.uf keys'
try 'ultrafilter verify --verify-key a.pub list.uf'
try 'ultrafilter verify --key-file b.key list.uf'
seq 101 110 | quietly ultrafilter insert list.uf
try 'ultrafilter query -c --mac --key-file a.key list.uf keys'

note "a keyed filter, signed by another than its owner"
quietly ultrafilter build -o keyed.uf -p 0.01 --key-file a.key keys
quietly ultrafilter sign --key-file b.key keyed.uf
try 'ultrafilter verify --verify-key b.pub keyed.uf'
try 'ultrafilter query -c --verify-key b.pub keyed.uf keys 2>&1 | sed "s/[0-9a-f]\{16\}/ID/"'
try 'ultrafilter query -c --verify-key b.pub --key-file a.key keyed.uf keys'

note "names: an allow list of the same signer's is not the deny list"
seq 201 300 >allowed
build deny.uf bloom:n=100,fpr=0.01,seed=0x5eed <keys
build allow.uf bloom:n=100,fpr=0.01,seed=0x5eed <allowed
try 'ultrafilter sign --key-file a.key --name deny-list --serial 7 deny.uf; cat deny.uf.sig'
try 'ultrafilter sign --json --key-file a.key --name allow-list allow.uf'
try 'ultrafilter verify --verify-key a.pub deny.uf'
try 'ultrafilter verify --verify-key a.pub allow.uf'
try 'ultrafilter verify --json --verify-key a.pub --name deny-list deny.uf'
try 'ultrafilter query -c --verify-key a.pub --name deny-list deny.uf keys'
mkdir new
cp allow.uf new/deny.uf
cp allow.uf.sig new/deny.uf.sig
try 'ultrafilter verify --verify-key a.pub --name deny-list new/deny.uf'
try 'ultrafilter query -c --verify-key a.pub --name deny-list new/deny.uf keys'
sed 's/allow-list/deny-list/' allow.uf.sig >new/deny.uf.sig
try 'ultrafilter verify --verify-key a.pub --name deny-list new/deny.uf'
try 'ultrafilter verify --verify-key a.pub --name deny-list --signature other.sig signed.uf'
try 'ultrafilter verify --verify-key a.pub --name "deny list" deny.uf'
try 'ultrafilter sign --key-file a.key --name "deny list" deny.uf'
try 'ultrafilter query -c --name deny-list deny.uf keys'

note "serials: an older file is refused"
cp deny.uf.sig old.sig
try 'ultrafilter verify --verify-key a.pub --name deny-list --last last deny.uf; cat last'
quietly ultrafilter sign --key-file a.key --name deny-list --serial 8 deny.uf
try 'ultrafilter query -c --verify-key a.pub --name deny-list --last last deny.uf keys; cat last'
try 'ultrafilter verify --verify-key a.pub --name deny-list --last last --signature old.sig deny.uf; cat last'
try 'ultrafilter query -c --verify-key a.pub --name deny-list --last last --signature old.sig deny.uf keys'
try 'ultrafilter verify -q --verify-key a.pub --name deny-list --last last deny.uf; cat last'
try 'ultrafilter verify --verify-key a.pub --min-serial 9 deny.uf'
try 'ultrafilter verify --verify-key a.pub --min-serial 8 deny.uf'
try 'ultrafilter verify --verify-key a.pub --min-serial 1 --signature other.sig signed.uf'
try 'ultrafilter verify --verify-key a.pub --name deny-list --last keys deny.uf; wc -l <keys'
try 'ultrafilter verify --verify-key a.pub --last last deny.uf'
try 'ultrafilter verify --verify-key a.pub --name another --last fresh deny.uf; ls fresh' # what was refused is not remembered
try 'ultrafilter verify --verify-key a.pub --name deny-list --last nowhere/last deny.uf'
try 'ultrafilter sign --key-file a.key --serial 0 deny.uf'
try 'ultrafilter sign --key-file a.key --serial 9007199254740993 deny.uf' # 2^53 + 1 is not signed as 2^53
try 'ultrafilter query -c --min-serial 3 deny.uf keys'

note "the same with a MAC"
try 'ultrafilter sign --mac --key-file a.key --name deny-list --serial 9 deny.uf'
try 'ultrafilter query -c --mac --key-file a.key --name deny-list --last last deny.uf keys; cat last'
try 'ultrafilter query -c --mac --key-file a.key --name allow-list deny.uf keys'
try 'ultrafilter verify --key-file a.key deny.uf'
