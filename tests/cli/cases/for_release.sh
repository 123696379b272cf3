# SPDX-License-Identifier: MIT
# Exact filters of which private copies are published: their n is declared, or there is no copy; and their shape.
seq 1000 >keys
seq 900 >fewer

note "a capacity that nobody declared is not published, whichever way it came"
quietly ultrafilter build -o counted.uf --kind bloom keys
quietly ultrafilter build -o piped.uf --kind bloom <keys
quietly ultrafilter build -o bits.uf --kind bloom --bits 16000 keys
quietly ultrafilter build -o like.uf --like counted.uf fewer
quietly ultrafilter rebuild -o rebuilt.uf --like counted.uf keys
quietly ultrafilter merge -o merged.uf like.uf counted.uf
cp counted.uf inserted.uf
seq 5 | quietly ultrafilter insert inserted.uf
try 'ultrafilter publish -o copy.uf --epsilon 3 counted.uf'
for file in piped bits like rebuilt merged inserted; do
    ultrafilter publish -o copy.uf --epsilon 3 $file.uf 2>/dev/null || echo "$file: exit $?"
done
test ! -e copy.uf && echo "no file"
try 'ultrafilter info counted.uf | grep -o "as many as were counted"'
try 'ultrafilter info --json counted.uf | grep declared'

note "what to keep: as docs/privacy.md prints it"
cp keys patients.txt
grep '^ultrafilter .*exact.uf' "$SOURCE/docs/privacy.md" >commands
while read -r line; do try "$line"; done <commands
try 'ultrafilter info --json exact.uf | grep declared'
try 'ultrafilter plan --epsilon 3 -n 1000 | sed -n "/^To keep/,/^$/p"'
try 'ultrafilter plan --json --epsilon 3 -n 1000 | grep keep'
for epsilon in 0.5 3 8 14; do
    ultrafilter build --json -o e.uf --for-release --epsilon $epsilon -n 1000 --bits-per-key 8 keys | sed -n 's/,seed.*"//; /"spec"/p'
done
quietly ultrafilter keygen -o k.key
quietly ultrafilter build -o e.uf --for-release --epsilon 3 -n 1000 --key-file k.key keys
try 'ultrafilter publish -o copy.uf --epsilon 3 --key-file k.key e.uf >/dev/null'

note "a filter made for exact answers: what its copy gives, and what another would"
quietly ultrafilter build -o plain.uf --kind bloom -n 1000 keys
try 'ultrafilter publish -q -o copy.uf --epsilon 3 plain.uf'
try 'ultrafilter publish --json -o copy.uf --epsilon 3 plain.uf 2>/dev/null | sed -n "/better/,\$p"'
try 'ultrafilter publish --json -o copy.uf --epsilon 3 exact.uf | grep better'

note "more keys than planned: the rates of the copy are not those that it claims"
quietly ultrafilter build -o small.uf --for-release --epsilon 3 -n 100 --full warn keys 2>/dev/null
try 'ultrafilter publish -q -o copy.uf --epsilon 3 small.uf'

note "mistakes"
try 'ultrafilter build -o e.uf --epsilon 3 -n 1000 keys'
try 'ultrafilter build -o e.uf --for-release -n 1000 keys'
try 'ultrafilter build -o e.uf --for-release --epsilon 3 keys'
try 'ultrafilter build -o e.uf --for-release --epsilon 3 -n 1000 --kind blocked keys'
try 'ultrafilter build -o e.uf --for-release --epsilon 3 -n 1000 -p 0.01 keys'
try 'ultrafilter build -o e.uf --for-release --epsilon 30 -n 1000 keys'
try 'ultrafilter build -o e.uf --for-release --epsilon 3 -n 0 keys'
try 'ultrafilter build -o e.uf --for-release --epsilon 3 -n 1000 --bits-per-key 0 keys'
