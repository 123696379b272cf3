# SPDX-License-Identifier: MIT
# publish with a learned kind: the model is trained on the released set, so the claim is the release's.
words 0 5000 1 >set
words 1 5000 2 >others
words 1 5000 3 >valid
words 1 5000 4 >fresh
cat set others fresh >universe
quietly ultrafilter keygen -o a.key
public='--universe file:universe --negatives others --valid valid'

try "ultrafilter publish -o dime.uf --epsilon 6 --mechanism dime --kind partition -p 0.01 --key-file a.key $public set 2>/dev/null | sed 's/  [0-9.]* KiB.*//'"
try 'ultrafilter info dime.uf | grep -A 2 -e Kind -e Privacy | sed "s/n=5[0-9]*/n=N/" | mask_seeds'
try 'ultrafilter info --json dime.uf | grep -e epsilon -e mechanism -e unit'

note "members are missed as often as dime leaves them out, 1 in 404, and no other"
missed=$(ultrafilter query -v dime.uf set | wc -l)
try '[ $missed -ge 3 ] && [ $missed -le 30 ] && echo "about twelve"'
try 'ultrafilter publish -q -o again.uf --epsilon 6 --mechanism dime --kind partition -p 0.01 --key-file a.key '"$public"' set 2>/dev/null; cmp dime.uf again.uf && echo the same bytes'
try "ultrafilter publish -q -o nickel.uf --epsilon 6 --mechanism nickel --kind learned --children bloom -p 0.01 $public set 2>/dev/null; ultrafilter query -c nickel.uf set"
try 'ultrafilter insert dime.uf fresh'

note "the model may not be one that has seen the set"
quietly ultrafilter train -o m.ufm --positives set --negatives others --valid valid
try "ultrafilter publish -o x.uf --epsilon 6 --mechanism dime --kind partition --model m.ufm --universe file:universe --valid valid set"
try "ultrafilter publish -o x.uf --epsilon 6 --mechanism dime --kind partition --universe file:universe set"
try "ultrafilter publish -o x.uf --epsilon 6 --mechanism dime --kind partition --universe file:universe --negatives others set"
try "ultrafilter publish -o x.uf --epsilon 6 --mechanism dime --kind bloom $public set"
try "ultrafilter publish -o x.uf --epsilon 6 -n 5000 --negatives others --valid valid set"
try 'ls x.uf'
