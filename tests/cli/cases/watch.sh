# SPDX-License-Identifier: MIT
# query --watch and build --backup-of: honest queries raise no alarm, keys that look like members do, other keys than
# planned count as drift; a backup takes over, and no member is missed. What it is worth against mutants is in
# docs/learned.md, and a unit test.
awk 'BEGIN { for (i = 0; i < 3000; i++) print "item" i * 7919 % 100003 ".example" }' >set
awk 'BEGIN { for (i = 0; i < 300; i++) print "www" i * 7919 % 100003 ".invalid" }' >>set
awk 'BEGIN { for (i = 0; i < 30000; i++) print "www" i * 104729 % 999983 ".invalid" }' >all
sort set >sorted
sort all | comm -23 - sorted | shuf --random-source=set >others
head -6000 others >negatives
sed -n '6001,12000p' others >valid
tail -n +12001 others >fresh
awk 'BEGIN { for (i = 0; i < 4000; i++) print "item" i * 15485863 % 100003 ".sample" }' >mutants
awk 'BEGIN { for (i = 0; i < 4000; i++) print "item-" i ".invalid" }' >changed
quietly ultrafilter keygen -o k
quietly ultrafilter train -o m.ufm --positives set --negatives negatives --valid valid
quietly ultrafilter build -o f.uf --spec 'learned:fpr=0.02,seed=0x5eed' --model m.ufm --valid valid set

note "honest queries; what would be an attack; a share of members"
try 'ultrafilter query -c --watch f.uf fresh'
try 'ultrafilter query -c --watch f.uf mutants'
try 'ultrafilter query -c --watch --json f.uf changed'
cat set fresh | shuf --random-source=all >mixed
try 'ultrafilter query -c --watch --members-asked 0.2 --false-alarm 1e-6 f.uf mixed'
ultrafilter query -c f.uf mixed

note "a backup: found is what both have"
try 'ultrafilter build -o b.uf --backup-of f.uf -p 0.01 --key-file k set'
quietly ultrafilter query -q --watch --backup b.uf --key-file k f.uf mutants
ultrafilter query --watch --backup b.uf --key-file k f.uf mutants 2>/dev/null >found
ultrafilter query -c f.uf mutants
[ "$(wc -l <found)" -lt 400 ] && echo "less than a tenth of them" # the key differs from run to run
cat mutants set | ultrafilter query --watch --backup b.uf --key-file k f.uf - 2>/dev/null | sort >found
comm -13 found sorted | wc -l
head -600 mutants | ultrafilter query --answers --watch --backup b.uf --key-file k f.uf 2>warnings >answers
[ "$(tail -300 answers | grep -c '1$')" -lt 30 ] && echo "less than a tenth of the last ones"
grep -c 'backup is asked' warnings

note "mistakes"
quietly ultrafilter build -o g.uf --spec 'learned:fpr=0.02,seed=0x5eee' --model m.ufm --valid valid set
quietly ultrafilter build -o plain.uf set
try 'ultrafilter query -c --watch --backup b.uf --key-file k g.uf fresh'
try 'ultrafilter query -c --watch --backup plain.uf --key-file k f.uf fresh'
try 'ultrafilter query -c --watch plain.uf fresh'
try 'ultrafilter query -c --backup b.uf f.uf fresh'
try 'ultrafilter query -c --watch --false-alarm 2 f.uf fresh'
try 'ultrafilter query -c --watch --members-asked 1.1 f.uf fresh'
try 'ultrafilter query -c --watch f.uf --also plain.uf fresh'
try 'ultrafilter build -o x.uf --backup-of f.uf --key-file k fresh'
head -100 set >some
try 'ultrafilter build -o x.uf --backup-of f.uf --key-file k some'
try 'ultrafilter build -o x.uf --backup-of f.uf set'
try 'ultrafilter build -o x.uf --backup-of plain.uf --key-file k set'
try 'ultrafilter build -o x.uf --backup-of f.uf --kind bloom --key-file k set'
try 'ls x.uf'
