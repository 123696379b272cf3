# SPDX-License-Identifier: MIT
# publish with a learned kind: the model is trained on the released set, so the claim is the release's.
words 0 5000 1 >set
words 1 5000 2 >others
words 1 5000 3 >valid
words 1 5000 4 >fresh
cat set others fresh >universe
quietly ultrafilter keygen -o a.key
public='--universe file:universe --negatives others --valid valid'

try "ultrafilter publish -o dime.uf --epsilon 6 --mechanism dime --kind partition -p 0.01 --key-file a.key --label spring $public set 2>/dev/null | sed 's/  [0-9.]* KiB.*//'"
try 'ultrafilter info dime.uf | grep -A 2 -e Kind -e Privacy | sed "s/n=[0-9]*/n=N/" | grep -v Size | mask_seeds'
try 'ultrafilter info --json dime.uf | grep -e epsilon -e mechanism -e unit'

note "members are missed as often as dime leaves them out, 1 in 404, and no other"
missed=$(ultrafilter query -v dime.uf set | wc -l)
try '[ $missed -ge 1 ] && [ $missed -le 35 ] && echo "about twelve"'
try 'ultrafilter publish -q -o again.uf --epsilon 6 --mechanism dime --kind partition -p 0.01 --key-file a.key --label spring '"$public"' set 2>/dev/null; cmp dime.uf again.uf && echo the same bytes'
try "ultrafilter publish -q -o nickel.uf --epsilon 6 --mechanism nickel --kind learned --children bloom -p 0.01 $public set 2>/dev/null; ultrafilter query -c nickel.uf set"
try 'ultrafilter insert dime.uf fresh'

note "whoever has the released set, and nothing else, makes the same model and filters: only the mark is missing"
release='--epsilon 2 --mechanism dime --key-file a.key --label spring --universe file:universe'
quietly ultrafilter publish -o seen.uf $release --kind partition -p 0.01 --negatives others --valid valid set
quietly ultrafilter publish -o exact.uf $release --kind ribbon -p 1e-9 set
ultrafilter query exact.uf universe | sort >released
spec=$(ultrafilter info --json seen.uf | sed -n 's/.*"spec": "\(.*\)",/\1/p')
quietly ultrafilter build -o hand.uf --spec "$spec" --negatives others --valid valid released
quietly ultrafilter build -o members.uf --spec "$spec" --negatives others --valid valid set
payload() { tail -c +4097 "$1" | cksum; }
try '[ "$(payload seen.uf)" = "$(payload hand.uf)" ] && echo the same'
try '[ "$(payload seen.uf)" = "$(payload members.uf)" ] || echo another one from the set itself'
try 'ultrafilter info hand.uf | grep Privacy; ultrafilter info seen.uf | grep Privacy'
missing=$(sort set | comm -23 - released | wc -l)
try '[ $missing -gt 450 ] && [ $missing -lt 750 ] && echo the release left out about an eighth of the set'

note "the model may not be one that has seen the set"
quietly ultrafilter train -o m.ufm --positives set --negatives others --valid valid
try "ultrafilter publish -o x.uf --epsilon 6 --mechanism dime --kind partition --model m.ufm --universe file:universe --valid valid set"
try "ultrafilter publish -o x.uf --epsilon 6 --mechanism dime --kind partition --universe file:universe set"
try "ultrafilter publish -o x.uf --epsilon 6 --mechanism dime --kind partition --universe file:universe --negatives others set"
try "ultrafilter publish -o x.uf --epsilon 6 --mechanism dime --kind bloom $public set"
try "ultrafilter publish -o x.uf --epsilon 6 -n 5000 --negatives others --valid valid set"
for option in '--kind partition' '-p 0.01' '--children bloom' '--regions 4' --force; do
    try "ultrafilter publish -o x.uf --epsilon 6 -n 5000 $option set"
done
try "ultrafilter publish -o x.uf --epsilon 6 -n 5000 --mechanism ultra --kind bloom set"
try 'ls x.uf'
