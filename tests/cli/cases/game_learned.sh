# SPDX-License-Identifier: MIT
# Games 3 and 4 with a seed: the same output each time, whatever the number of threads. Filters with keyed children hold;
# one that believes its model loses, and so does any whose key is known.
few='--seed 1 --trials 50 -n 1000 --queries 100 -p 0.02 --choice honest'
try "ultrafilter-lab game 3 $few"
try "ultrafilter-lab game 4 $few"
try "ultrafilter-lab game 4 $few --target downtown --adversarial-share 0.2"
try "ultrafilter-lab game 4 $few --target keyed --kind blocked"
try "ultrafilter-lab game 3 $few --target learned"
try "ultrafilter-lab game 4 $few --target partition"
try "ultrafilter-lab game 3 $few --leak-key"
try "ultrafilter-lab game 4 $few --leak-key --target downtown"
try "ultrafilter-lab game 4 --seed 1 --trials 20 -n 200 --queries 0 --choice honest"

note "adversaries choose the set and the data; kinds that claim nothing must lose"
try "ultrafilter-lab game 4 --seed 1 --trials 18 -n 400 --queries 30 --target all"
try "ultrafilter-lab game 3 --seed 1 --trials 20 -n 200 --queries 40 --choice equal --target uptown"

note "from lists: --valid may be left out"
awk 'BEGIN { for (i = 0; i < 1500; i++) print "item" i * 7919 % 100003 ".example" }' >set
awk 'BEGIN { for (i = 0; i < 4500; i++) print "www" i * 104729 % 999983 ".invalid" }' >others
try "ultrafilter-lab game 4 --seed 1 --trials 40 -n 400 --queries 40 --positives set --negatives others --target downtown"
try "ultrafilter-lab game 4 --seed 1 --trials 40 -n 400 --queries 40 --positives set --negatives others --target learned \
    --choice poisoned"

note "JSON: the whole in results, each adversary apart"
try "ultrafilter-lab game 4 $few --json --target downtown"

note "threads make no difference; seeds do"
game() { ultrafilter-lab game 4 --trials 30 -n 400 --queries 50 -p 0.03 --target downtown --json "$@"; }
game --seed 5 -j 1 >a
game --seed 5 -j 4 >b
cmp a b
game --seed 6 >b
cmp -s a b && echo "seeds make no difference"

note "planned for a share below the rate, a part may have no filter: then nothing is claimed, and the game is lost"
try 'ultrafilter-lab game 4 --seed 6 --trials 30 -n 1000 --queries 100 -p 0.05 --target downtown --adversarial-share 0.01 --choice honest'

note "mistakes"
try 'ultrafilter-lab game 5'
try 'ultrafilter-lab game 3 --target redis'
try 'ultrafilter-lab game 4 --target unkeyed'
try 'ultrafilter-lab game 1 --target robust'
try 'ultrafilter-lab game 3 --adversarial-share 2'
try 'ultrafilter-lab game 1 --adversarial-share 0.1'
try 'ultrafilter-lab game set-release --adversarial-share 0.1'
try 'ultrafilter-lab game 3 --epsilon 1'
try 'ultrafilter-lab game 1 --choice tiny'
try 'ultrafilter-lab game 1 --target all'
try 'ultrafilter-lab game 2 --positives set'
try 'ultrafilter-lab game 3 --positives set'
try 'ultrafilter-lab game 3 --choice none'
try 'ultrafilter-lab game 4 -p 0'
try 'ultrafilter-lab game 4 -n 0'
