# SPDX-License-Identifier: MIT
# Games with a seed: the same output each time. What the adversary may win, and that it must win without noise.
try 'ultrafilter-lab game set-release --seed 1 --trials 20000'
try 'ultrafilter-lab game set-release --seed 2 --trials 5000 --epsilon 3 --universe-size 50 -n 10'
try 'ultrafilter-lab game strict-set-release --seed 1 --trials 20000 --epsilon 1'
try 'ultrafilter-lab game strict-set-release --seed 2 --trials 5000 --epsilon 3 --universe-size 1e5 --members 0'
try 'ultrafilter-lab game set-release --seed 1 --trials 1000 --no-noise'
try 'ultrafilter-lab game strict-set-release --seed 1 --trials 1000 --no-noise'
try 'ultrafilter-lab game set-release --seed 1 --trials 1 --epsilon 20'

note "JSON"
try 'ultrafilter-lab game set-release --seed 1 --trials 1000 --json'
try 'ultrafilter-lab game strict-set-release --seed 1 --trials 1000 --json'

note "the same seed, the same games; another one, or none, others"
game() { ultrafilter-lab game set-release --trials 500 --json "$@"; }
game --seed 5 >a
game --seed 5 >b
cmp a b
game --seed 6 >b
cmp -s a b && echo "seeds make no difference"
# Two plays may have the same count of wins by chance; five hardly.
for _ in 1 2 3 4 5; do game || :; done >a # which may exceed the bound by chance
[ "$(sort -u a | grep -c .)" -gt "$(game --seed 5 | sort -u | grep -c .)" ] || echo "the system's randomness repeats"

note "mistakes"
try 'ultrafilter-lab game'
try 'ultrafilter-lab game --seed 1'
try 'ultrafilter-lab game set-relase'
try 'ultrafilter-lab game 17'
try 'ultrafilter-lab game set-release strict-set-release'
for epsilon in nan inf -1 0 1e-9 25 1000 x '' 3,4 '1,q=2'; do
    try "ultrafilter-lab game set-release --epsilon '$epsilon'"
done
try 'ultrafilter-lab game set-release --epsilon 3 --no-noise'
try 'ultrafilter-lab game set-release --trials 0'
try 'ultrafilter-lab game set-release --trials 1.5'
try 'ultrafilter-lab game set-release --trials 1e10'
try 'ultrafilter-lab game set-release --universe-size 0'
try 'ultrafilter-lab game set-release --universe-size 10 -n 10'
try 'ultrafilter-lab game set-release --seed x'
try 'ultrafilter-lab game set-release --seed 1 --trials 10 >/dev/full'

note "theorems 3.4 and 3.5: a filter of the release, learned or not, tells no more than the release"
try 'ultrafilter-lab game set-release --seed 1 --trials 3000 --spec bloom:fpr=0.01 -n 20 --universe-size 100'
try 'ultrafilter-lab game set-release --seed 1 --trials 300 --spec partition:fpr=0.01 -n 20 --universe-size 100'
try 'ultrafilter-lab game strict-set-release --seed 1 --trials 300 --spec learned:fpr=0.01 -n 20 --universe-size 100'
try 'ultrafilter-lab game set-release --seed 1 --trials 2000 --spec ribbon:fpr=0.001 -n 20 --universe-size 100 --no-noise'
try 'ultrafilter-lab game set-release --spec nothing'
try 'ultrafilter-lab game 1 --spec bloom:fpr=0.01'
