# SPDX-License-Identifier: MIT
# Games 1 and 2 with a seed: the same output each time, whatever the number of threads. A keyed filter holds; whoever has
# the key, the file of an unkeyed one, or a public hash, wins.
try 'ultrafilter-lab game 1 --seed 1 --trials 1000 -n 200 --queries 200'
try 'ultrafilter-lab game 2 --seed 1 --trials 1000 -n 200 --queries 200'
try 'ultrafilter-lab game 1 --seed 1 --trials 100 -n 200 --queries 200 --leak-key'
try 'ultrafilter-lab game 2 --seed 1 --trials 100 -n 200 --queries 200 --leak-key'
try 'ultrafilter-lab game 1 --seed 1 --trials 1000 -n 200 --queries 200 --target unkeyed'
try 'ultrafilter-lab game 2 --seed 1 --trials 100 -n 200 --queries 200 --target unkeyed'
try 'ultrafilter-lab game 1 --seed 1 --trials 100 -n 200 --queries 200 --target redis'
try 'ultrafilter-lab game 2 --seed 1 --trials 200 -n 1 --queries 0 -p 0.1 --kind bloom'

note "with inserts in between"
try 'ultrafilter-lab game unsteady --seed 1 --trials 300 -n 200 --queries 200 --kind bloom'
try 'ultrafilter-lab game unsteady --seed 1 --trials 50 -n 200 --queries 200 --leak-key'

note "JSON: the whole in results, each adversary apart"
try 'ultrafilter-lab game 2 --seed 1 --trials 200 -n 200 --queries 200 --json'

note "threads make no difference; seeds do"
game() { ultrafilter-lab game 1 --trials 300 -n 100 --queries 100 -p 0.1 --json "$@"; }
game --seed 5 -j 1 >a
game --seed 5 -j 4 >b
cmp a b
game --seed 6 >b
cmp -s a b && echo "seeds make no difference"
# Without a seed the adversaries are lucky now and then: one game in 500 ends with 1.
game >a || :
game >b || :
cmp -s a b && echo "the system's randomness repeats"

note "mistakes"
try 'ultrafilter-lab game 5'
try 'ultrafilter-lab game 1 --epsilon 1'
try 'ultrafilter-lab game 2 --no-noise'
try 'ultrafilter-lab game set-release --leak-key'
try 'ultrafilter-lab game set-release -p 0.01'
try 'ultrafilter-lab game 1 -p 0'
try 'ultrafilter-lab game 1 -p 1'
try 'ultrafilter-lab game 1 -n 0'
try 'ultrafilter-lab game 1 --trials 0'
try 'ultrafilter-lab game 1 --queries 1e10'
try 'ultrafilter-lab game 1 --kind ribbon'
try 'ultrafilter-lab game 1 --target nobody'
try 'ultrafilter-lab game 1 -j 0'
