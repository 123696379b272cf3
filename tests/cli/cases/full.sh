# SPDX-License-Identifier: MIT
# Filters that have as many keys as they were planned for: they refuse more, take them with a warning, or grow.
seq 1000 >first
seq 1001 1500 >second
known_key key 1

note "refuse: the default of keyed filters"
try 'ultrafilter build -o k.uf --spec "keyed(bloom:n=1000,fpr=1e-6,seed=0x5eed)" --key-file key first'
try 'ultrafilter info k.uf | grep -A1 "When full"'
cp k.uf copy
try 'ultrafilter insert --key-file key k.uf second'
try 'echo one more | ultrafilter insert --key-file key k.uf'
try 'cmp k.uf copy'
try 'ultrafilter insert --key-file key k.uf first'
try 'ultrafilter query -c --key-file key k.uf first'

note "refuse: others, when they are told to"
for kind in bloom blocked counting deletable tombstone; do
    spec="$kind:n=1000,fpr=1e-6,seed=0x5eed,full=refuse"
    try "ultrafilter build -o f.uf --spec $spec first"
    try 'head -n 2 second | ultrafilter insert f.uf'
    try 'ultrafilter info --json f.uf | grep -E "full\":|count\"|levels"'
done
try 'head -n 999 first | ultrafilter build -q -o f.uf -n 1000 --full refuse && echo last | ultrafilter insert -q f.uf && echo more | ultrafilter insert f.uf'

note "builds of too many keys"
try 'cat first second | ultrafilter build -o none.uf --spec "keyed(bloom:n=1000,fpr=0.01)" --key-file key; ls none.uf'
try 'cat first second | ultrafilter build -o none.uf -n 1000 --full refuse -j 2; ls none.uf'
try 'cat first first | ultrafilter build -o twice.uf --spec bloom:n=1000,fpr=1e-6,full=refuse,seed=0x5eed'
try 'cat first second >all; ultrafilter build -o all.uf --full refuse --kind bloom all'

note "removals make room"
ultrafilter build -q -o c.uf --spec counting:n=1000,fpr=1e-6,seed=0x5eed,full=refuse first
try 'head -n 5 second | ultrafilter insert c.uf'
try 'head -n 5 first | ultrafilter remove c.uf'
try 'head -n 5 second | ultrafilter insert c.uf'
try 'sed -n 6p second | ultrafilter insert c.uf'

note "warn"
try 'ultrafilter build -q -o w.uf --spec "keyed(bloom:n=1000,fpr=0.01,seed=0x5eed,full=warn)" --key-file key first'
try 'ultrafilter insert --key-file key w.uf second'
try 'ultrafilter info w.uf | grep "When full"'

note "scale"
try 'ultrafilter build -o s.uf --spec bloom:n=1000,fpr=0.01,seed=0x5eed,full=scale first'
try 'ultrafilter insert s.uf second'
seq 100000 >many # a file: from a pipe the batches, and with them where it grows, are those of the moment
try 'ultrafilter insert s.uf many'
try 'seq 100000 | ultrafilter query -c s.uf'
try 'ultrafilter info s.uf'
try 'ultrafilter info --json s.uf | grep -E "full\":|count\"|levels|capacity"'
try 'seq 100001 1100000 | ultrafilter query -c s.uf | awk "{ print (\$1 < 10300) ? \"at most 1.03 %\" : \$1 }"'
try 'seq 5000 | ultrafilter build -q -o t.uf -n 1000 -p 0.01 --full scale -j 2; ultrafilter info --json t.uf | grep levels; seq 5000 | ultrafilter query -c t.uf'

note "merge"
try 'ultrafilter merge -o m.uf s.uf s.uf'
try 'ultrafilter merge -o m.uf s.uf && cmp m.uf s.uf'
ultrafilter build -q -o a.uf --spec bloom:n=1000,fpr=1e-6,seed=0x5eed,full=refuse first
ultrafilter build -q -o b.uf --like a.uf second
try 'ultrafilter merge -o m2.uf a.uf b.uf; ls m2.uf'

note "mistakes"
try 'ultrafilter build -o x.uf --full never first'
try 'ultrafilter build -o x.uf --kind ribbon --full refuse first'
try 'ultrafilter build -o x.uf --kind counting --full scale first'
try 'ultrafilter build -o x.uf --spec bloom:full=never first'
try 'ultrafilter build -o x.uf --spec bloom:n=10 --full warn first'
