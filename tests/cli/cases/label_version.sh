# SPDX-License-Identifier: MIT
# A ledger that an earlier version wrote, before lanes of noise shared random bits and before dpset was in mixed radix: the
# same label there is another release today, of other bytes, and is refused.
export SOURCE_DATE_EPOCH=1000000000
seq 2 2 200 >members
known_key k.key 1
quietly ultrafilter build -o exact.uf --spec bloom:n=200,bits=3200,k=1,seed=0x1 members
cat >old.ufl <<END
ultrafilter-ledger-2
budget default 100
release default 2.9999999999999436 ultra 7306e5f7ea38e313396f07633fb4f055 delta=0 date=2001-09-09T01:46:40Z label=ultra file=a.uf
release default 2.9999999999999436 ultra b4e833ab22b7c9b3b14951cf90ad7a22 delta=0 date=2001-09-09T01:46:40Z label=copy file=b.uf
release default 2.9999999999999436 dime 19e55e21f944e83376c037cf20b820e2 delta=0 date=2001-09-09T01:46:40Z label=dime file=c.uf
release default 2.9999999999999467 dpset ec2224384d31a86bb17da18c896a1d87 delta=0 date=2001-09-09T01:46:40Z label=dpset file=d.uf
end 6 c347e8434cce5394
END
cp old.ufl kept.ufl

try 'ultrafilter publish -q --epsilon 3 -n 200 --mechanism ultra --key-file k.key --label ultra -o a.uf --ledger old.ufl members'
try 'ultrafilter publish -q --epsilon 3 --key-file k.key --label copy -o b.uf --ledger old.ufl exact.uf'
try 'ultrafilter publish -q --epsilon 3 --mechanism dime --universe range:1-1000 --kind bloom --key-file k.key --label dime -o c.uf --ledger old.ufl members'
try 'ls ./*.uf; cmp old.ufl kept.ufl'
try 'ultrafilter publish -q --epsilon 3 -n 200 --key-file k.key --label dpset -o d.uf --ledger old.ufl members && cmp old.ufl kept.ufl && ultrafilter info d.uf | grep "Release id"'

note 'a new label'
try 'ultrafilter publish -q --epsilon 3 -n 200 --mechanism ultra --key-file k.key --label ultra-2 -o a.uf --ledger old.ufl members && ls a.uf'
