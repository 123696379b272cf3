# SPDX-License-Identifier: MIT
# How many keys two filters have in common, by their bits; and what they differ in.
seq 2000 >first
seq 1501 4000 >second
known_key key 1
known_key other 2

note "twins: 2,000 and 2,500 keys, of which both have 500"
for spec in bloom:n=4000,fpr=0.01,seed=0x5eed blocked:n=4000,fpr=0.01,seed=0x5eed counting:n=4000,fpr=0.01,seed=0x5eed; do
    ultrafilter build -q -o a.uf --spec $spec first
    ultrafilter build -q -o b.uf --like a.uf second
    try 'ultrafilter overlap a.uf b.uf'
done
try 'ultrafilter overlap --json a.uf a.uf'
try 'ultrafilter build -q -o ka.uf --spec "keyed(bloom:n=4000,fpr=0.01,seed=0x5eed)" --key-file key first && ultrafilter build -q -o kb.uf --like ka.uf --key-file key second && ultrafilter overlap ka.uf kb.uf'

note "no twins"
ultrafilter build -q -o c.uf --spec counting:n=4000,fpr=0.02,seed=0x5eed second
try 'ultrafilter overlap a.uf c.uf'
try 'ultrafilter overlap --json a.uf ka.uf | jq -c "[.twins, .why]"'
try 'ultrafilter build -q -o ko.uf --spec "keyed(bloom:n=4000,fpr=0.01,seed=0x5eed)" --key-file other first; ultrafilter overlap ka.uf ko.uf | tail -n 2'
try 'ultrafilter build -q -o r.uf --spec ribbon:fpr=0.01,seed=0x5eed first; ultrafilter overlap r.uf r.uf | tail -n 2'
try 'ultrafilter overlap a.uf missing.uf'
try 'ultrafilter diff a.uf b.uf'

note "distances: an exact filter and its private copies, two sets, and two copies; expected are 1 / (1 + e) = 0.2689 (rr), z (1 - p) = 0.2689 z (published)"
ultrafilter build -q -o x.uf --spec bloom:n=20000,bits=160000,k=1,seed=0x5eed first
ultrafilter build -q -o y.uf --like x.uf second
quietly ultrafilter publish -o rr.uf --epsilon 1 x.uf
try 'ultrafilter overlap --distance x.uf rr.uf | sed "s|[0-9,]* of 160,000 bits differ, 0.[0-9]* of|MANY of 160,000 bits differ, SHARE of|"'
try 'ultrafilter overlap --distance rr.uf x.uf --json | jq -c "[.reconstruction, .bits, .bound, (.share > 0.264 and .share < 0.274)]"'
try 'ultrafilter overlap --distance x.uf y.uf'
try 'ultrafilter overlap --distance y.uf rr.uf --json | jq -c "[.reconstruction, .share < 0.3]"'
try 'ultrafilter overlap --distance x.uf a.uf'
