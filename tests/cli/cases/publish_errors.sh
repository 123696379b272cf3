# SPDX-License-Identifier: MIT
# publish: every wish that cannot be met is named, and no file appears.
seq 100 >keys

note "epsilon"
for epsilon in nan inf -1 0 1e-9 0.04 25 1000 x ''; do
    try "ultrafilter publish -o new.uf --epsilon '$epsilon' -n 100 keys"
done
try 'ultrafilter publish -o new.uf -n 100 keys'
try 'ultrafilter publish -o new.uf --epsilon 0.05 keys'
for mechanism in 'ultra -n 100' 'dime --universe range:1-200' 'nickel --universe range:1-200'; do
    for epsilon in nan -1 1e-9 25; do
        try "ultrafilter publish -o new.uf --epsilon $epsilon --mechanism $mechanism keys"
    done
done

note "capacity"
for capacity in 0 99 1.5 1e30 nan x; do
    try "ultrafilter publish -o new.uf --epsilon 3 -n $capacity keys"
done
try 'cat keys keys | ultrafilter publish -q -o fits.uf --epsilon 3 -n 100 -'
try 'ultrafilter publish -o new.uf --epsilon 3 -n 100 --bits-per-key 0.1 keys'
try 'ultrafilter publish -o new.uf --epsilon 3 -n 100 --bits-per-key 0 keys'

note "universes"
for universe in range:1-99 range:5-1 range:x digits:3 digits:0 digits:30 ipv4:10.0.0.0/8 ipv4:10.0.0.1/8 ipv4:1.2.3/8 \
    nonsense file:nowhere file:keys ''; do
    try "ultrafilter publish -q -o u.uf --epsilon 3 --mechanism dime --universe '$universe' keys && rm u.uf"
done
try 'ultrafilter publish -o new.uf --epsilon 3 --mechanism dime keys'
try 'ultrafilter publish -o new.uf --epsilon 3 --mechanism dime --universe range:1-200 -n 100 keys'
try 'ultrafilter publish -o new.uf --epsilon 3 -n 100 --universe range:1-200 keys'
try 'seq 1000000000 1000000003 | ultrafilter publish -q -o big.uf --epsilon 10 --mechanism dime --universe digits:10 -'
try 'ultrafilter publish -o new.uf --epsilon 0.05 --mechanism dime --universe digits:17 /dev/null | sed "s/has [0-9.e+]*:/has N:/"'

note "ledgers"
publish() { ultrafilter publish "$@" >/dev/null; }
export SOURCE_DATE_EPOCH=1000000000
try 'publish -o a.uf --epsilon 1 -n 100 --budget 3 keys'
try 'publish -o a.uf --epsilon 1 -n 100 --data-set patients keys'
try 'publish -o a.uf --epsilon 1 -n 100 --ledger l.ufl keys'
try 'publish -o a.uf --epsilon 1 -n 100 --ledger l.ufl --budget 2.5 keys'
try 'publish -o b.uf --epsilon 1 -n 100 --ledger l.ufl keys'
try 'publish -o c.uf --epsilon 1 -n 100 --ledger l.ufl keys'
try 'publish -o c.uf --epsilon 0.5 -n 100 --ledger l.ufl --budget 9 keys'
try 'publish -o c.uf --epsilon 1 -n 100 --ledger l.ufl --mechanism published keys'
try 'publish -o c.uf --epsilon 1 --ledger l.ufl --mechanism nickel --universe range:1-200 keys'
try 'ls -- *.uf'
try 'ultrafilter ledger l.ufl | sed "s/[0-9a-f]\{32\}/ID/"'
note "with a label the same release is charged once"
quietly ultrafilter keygen -o k.key
for i in 1 2 3; do
    try "ultrafilter publish -o k$i.uf --epsilon 1 -n 100 --ledger l.ufl --data-set keyed --budget 1 --key-file k.key --label spring keys | grep Ledger"
done
note "without one it is charged, even if all bits came out as before (64 of them, one flip in 22,000)"
quietly ultrafilter build -o tiny.bloom --spec bloom:n=1,bits=64,k=2 - </dev/null
for i in 1 2 3; do
    try "ultrafilter publish -o tiny.copy --epsilon 20 --ledger l.ufl --data-set tiny --budget 50 tiny.bloom | grep Ledger"
done
note "a copy is of one filter: nothing is left out in silence"
try 'publish -o c.uf --epsilon 1 tiny.bloom tiny.bloom'
try 'publish -o c.uf --epsilon 1 tiny.bloom keys'
try 'publish -o c.uf --epsilon 1 -n 100 keys tiny.bloom'
echo junk >bad.ufl
try 'publish -o c.uf --epsilon 1 -n 100 --ledger bad.ufl --budget 9 keys'

note "keys of another kind"
chmod 644 k.key
try 'publish -o c.uf --epsilon 1 -n 100 --key-file k.key keys'
try 'publish -o c.uf --epsilon 1 -n 100 --key-file nowhere keys'
try 'publish -o c.uf --epsilon 1 -n 100 --key-file keys keys'
try 'chmod 600 k.key; publish -q -o fd.uf --epsilon 1 -n 100 --key-file /dev/fd/3 --label spring keys 3<k.key'
try 'ls c.uf new.uf'
