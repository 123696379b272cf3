# SPDX-License-Identifier: MIT
# A merge is the union, byte for byte; strangers are refused with what differs.
seq 1000 >a.txt
seq 501 1500 >b.txt
seq 2001 2500 >c.txt

note "twins, made with --like"
for kind in blocked bloom dcso; do
    quietly ultrafilter build -o a.uf --kind $kind -n 2500 -p 1e-6 a.txt
    quietly ultrafilter build -o b.uf --like a.uf b.txt
    quietly ultrafilter build -o c.uf --like b.uf c.txt
    try "ultrafilter merge -o u.uf a.uf b.uf c.uf | mask_now # $kind"
    try 'cat a.txt b.txt c.txt | ultrafilter query -c u.uf'
    try 'seq 3001 4000 | ultrafilter query -c u.uf'
    quietly sh -c 'cat a.txt b.txt c.txt | ultrafilter build -o whole.uf --like a.uf'
    [ $kind = dcso ] || try 'cmp u.uf whole.uf'
    try 'ultrafilter merge -q -o a.uf a.uf b.uf && cat a.txt b.txt | ultrafilter query -c a.uf'
done

note "one filter: a copy"
try 'ultrafilter merge -o copy.uf b.uf && cmp b.uf copy.uf'
quietly ultrafilter build -o r.uf --kind ribbon -n 1000 -p 0.01 a.txt
try 'ultrafilter merge -q -o copy.uf r.uf && cmp r.uf copy.uf'

note "--json"
build a.uf bloom:n=2000,fpr=0.01,seed=0x1 <a.txt
quietly ultrafilter build -o b.uf --like a.uf b.txt
try 'ultrafilter merge --json -o u.uf a.uf b.uf'
try 'ultrafilter merge -q -o u.uf a.uf a.uf && cmp a.uf u.uf'

note "more than planned for"
try 'seq 9000 | ultrafilter build -q -o big.uf --like a.uf; ultrafilter merge -o u.uf a.uf big.uf'

note "--like takes the number of keys from the model, and its seed, not its keys"
try 'ultrafilter build -q -o like.uf --like a.uf b.txt; ultrafilter info like.uf | grep Spec; ultrafilter info a.uf | grep Spec'
try 'seq 500 | ultrafilter query -c like.uf >few; test $(cat few) -lt 50 && echo not the keys'
build r.uf ribbon:n=1000,fpr=0.01,seed=0x1 <a.txt
try 'ultrafilter build -q -o like.uf --like r.uf a.txt && cmp r.uf like.uf'

note "strangers"
build seed.uf bloom:n=2000,fpr=0.01,seed=0x2 <b.txt
build n.uf bloom:n=2001,fpr=0.01,seed=0x1 <b.txt
build fpr.uf bloom:n=2000,fpr=0.02,seed=0x1 <b.txt
build k.uf bloom:n=2000,fpr=0.01,k=6,seed=0x1 <b.txt
build kind.uf blocked:n=2000,fpr=0.01,seed=0x1 <b.txt
for other in seed n fpr k kind; do
    try "ultrafilter merge -o new.uf a.uf $other.uf"
done
build r2.uf ribbon:n=1000,fpr=0.01,seed=0x1 <b.txt
try 'ultrafilter merge -o new.uf r.uf r2.uf'
build d1.uf dcso:n=1000,fpr=0.01 <a.txt
build d2.uf dcso:n=1000,fpr=0.02 <a.txt
try 'ultrafilter merge -o new.uf d1.uf d2.uf'
try 'ultrafilter merge -o new.uf a.uf b.uf missing.uf'

note "mistakes"
try 'ultrafilter merge -o new.uf'
try 'ultrafilter merge a.uf b.uf'
try 'ultrafilter merge -o new.uf --out-format dcso a.uf'
try 'ultrafilter merge -o new.uf --format dcso --out-format uf d1.uf'
try 'test ! -e new.uf'
