# SPDX-License-Identifier: MIT
# Under valgrind: every command gives back what it took, also when it fails half-way. (The address sanitizer looks for
# leaks, too, but takes four seconds a process on AArch64.)
needs valgrind
seq 1000 >keys
seq 5000 6000 >others
seq 7000 8000 >valid
build a.uf "$(seeded bloom 1000 0.01)" <keys
build b.uf bloom:n=1000,fpr=0.01,seed=0x1 <keys
head -c 5000 a.uf >cut.uf
under_valgrind ultrafilter ultrafilter-lab
try 'ultrafilter build -q -o new.uf --like a.uf -j 3 keys'
try 'ulimit -f 4; ultrafilter build -q -o new.uf --kind ribbon -j 3 keys'
try 'ultrafilter insert -q --json a.uf keys | wc -l'
try 'ultrafilter query -c -j 3 --json a.uf keys'
try 'ultrafilter query cut.uf keys'
try 'ultrafilter merge -o new.uf a.uf b.uf'
quietly ultrafilter keygen -q -o k.key
for kind in uptown robust; do
    try "ultrafilter build -q -o $kind.uf --kind $kind --force --key-file k.key --negatives others --valid valid keys"
done
try 'ultrafilter query -c --key-file k.key uptown.uf keys'
try 'ultrafilter info --json a.uf | wc -l'
try 'ultrafilter-lab audit --seed 1 --trials 20 -j 2 --json --spec dpset:n=10,epsilon=1 | wc -l'
try 'ultrafilter-lab audit --seed 1 --trials 20 --spec dpset:n=10,epsilon=1 -n 10'
try "ultrafilter-lab audit --seed 1 --trials 4 --epsilon 1 --command 'cat {keys}' | wc -l"
try 'ultrafilter-lab reproduce ultrafilter --out out -n 1000 --data-only --json | wc -l'
try 'ultrafilter-lab reproduce ultrafilter --out a.uf --data-only'
try 'ultrafilter-lab attack peel --seed 1 -n 50 --trials 10 --json | tail -n 1'
try 'ultrafilter-lab game 2 --seed 1 --trials 5 -n 50 --queries 50 --leak-key --json | tail -n 1'
try 'ultrafilter-lab attack mutate --seed 1 -n 100 --trials 10 --json | tail -n 1'
try 'ultrafilter-lab attack mutate --positives keys --negatives keys --valid keys'
try 'ultrafilter-lab game 4 --seed 1 --trials 5 -n 100 --queries 50 --json --target downtown | tail -n 1'
try 'ultrafilter plan --json -n 1000 -p 0.01 --bits 8000 | wc -l'
try 'ultrafilter keygen -q -o a.uf'
cat >a.ufl <<'END'
ultrafilter-ledger-1
budget patients 3
release patients 1.25 dpset 91b7e3c0
release patients 0.5 ultra 2c4f0a77
end 4 62fb5169fe2d1c1e
END
try 'ultrafilter ledger --json a.ufl | wc -l'
