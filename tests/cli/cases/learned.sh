# SPDX-License-Identifier: MIT
# Learned kinds: built with a model, in one go, or with scores from elsewhere; asked and described.
words 0 6000 1 >set
words 1 6000 2 >others
words 1 6000 3 >valid
words 1 6000 4 >fresh
quietly ultrafilter train -o m.ufm --positives set --negatives others --valid valid

# one_in_fifty FILE: the rate on keys that nobody has seen is at most 1/50; planned is 1/100, and 6000 keys see 60 errors
# give or take 8.
one_in_fifty() { [ "$(ultrafilter query -c "$1" fresh)" -le 120 ] && echo "rate kept"; }

for kind in learned sandwich partition; do
    for children in ribbon bloom blocked; do
        try "ultrafilter build -o $kind.uf --spec $kind:fpr=0.01,children=$children,seed=0x5eed --model m.ufm --valid valid set"
        try "ultrafilter query -c $kind.uf set; one_in_fifty $kind.uf"
    done
done
try 'ultrafilter info partition.uf'
try 'ultrafilter info sandwich.uf | grep -A 4 "scores from"'
try 'ultrafilter info --json partition.uf | json_keys'
try 'ultrafilter query -v partition.uf set; ultrafilter query -c --mmap partition.uf set'
try 'cat set | ultrafilter build -q -o pipe.uf --spec partition:fpr=0.01,children=blocked,seed=0x5eed --model m.ufm --valid valid; cmp pipe.uf partition.uf && echo equal'
try 'ultrafilter build -q -j 1 -o one.uf --spec partition:fpr=0.01,children=blocked,seed=0x5eed --model m.ufm --valid valid set; cmp one.uf partition.uf && echo equal'
try 'ultrafilter build -q -o four.uf --kind partition --regions 4 -p 0.01 --model m.ufm --valid valid set; ultrafilter info --json four.uf | grep -c from'

note "in one go"
try 'ultrafilter build -o go.uf --kind partition -p 0.01 --negatives others --valid valid set; ultrafilter query -c go.uf set'

note "what they cannot do"
try 'ultrafilter insert partition.uf fresh'
try 'ultrafilter merge -o both.uf partition.uf partition.uf'

note "negatives that are keys are left out, and a model of something else is not used"
head -n 100 set | cat - valid >mixed
try 'ultrafilter build -o a.uf --kind partition -p 0.01 --model m.ufm --valid mixed set'
try 'ultrafilter build -o b.uf --kind partition -p 0.01 --model m.ufm --valid fresh others'
try 'ultrafilter info b.uf | grep Kind; ultrafilter query -c b.uf others'
try 'ultrafilter build -o c.uf --kind partition -p 0.01 --force --model m.ufm --valid fresh others'
try 'ultrafilter query -c c.uf others; ultrafilter info c.uf | grep Compared'

note "scores from elsewhere: here the number of vowels"
score() { sed 's/[^aeiou]//g' "$1" | awk '{ print length($0) / 4 }'; }
for list in set valid fresh; do score $list >$list.scores; done
try 'ultrafilter build -o own.uf --kind partition -p 0.01 --scores set.scores --valid valid --valid-scores valid.scores set'
try 'ultrafilter info own.uf | grep -A 3 Model'
try 'ultrafilter query -c --scores set.scores own.uf set'
try '[ "$(ultrafilter query -c --scores fresh.scores own.uf fresh)" -le 120 ] && echo rate kept'
try 'ultrafilter query -c own.uf set'
try 'ultrafilter query -c --scores set.scores own.uf <set'
try 'ultrafilter query -c --scores set.scores partition.uf set'
head -n 5 set.scores >few.scores
sed '3s/.*/nan/' set.scores >nan.scores
sed '3s/.*/high/' set.scores >text.scores
for bad in few nan text nowhere; do
    try "ultrafilter build -o x.uf --kind partition --scores $bad.scores --valid valid --valid-scores valid.scores set"
done
try 'ultrafilter build -o x.uf --kind partition --scores set.scores --valid valid set'

note "what is missing or too much"
try 'ultrafilter build -o x.uf --kind partition set'
try 'ultrafilter build -o x.uf --kind partition --model m.ufm set'
try 'ultrafilter build -o x.uf --kind partition --model m.ufm --negatives others --valid valid set'
try 'ultrafilter build -o x.uf --kind ribbon --model m.ufm --valid valid set'
try 'ultrafilter build -o x.uf --kind partition --bits 1e6 --model m.ufm --valid valid set'
try 'ultrafilter build -o x.uf --kind partition --regions 17 --model m.ufm --valid valid set'
try 'ultrafilter build -o x.uf --kind partition --model m.ufm --valid set set'
try 'ultrafilter build -o x.uf --kind blocked --children ribbon set'

note "a model that was cut or altered, and files that are none"
head -c 200 m.ufm >cut.ufm
cp m.ufm bent.ufm
put bent.ufm 140 '\001\002'
: >empty.ufm
for bad in cut.ufm bent.ufm empty.ufm set partition.uf nowhere.ufm; do
    try "ultrafilter build -o x.uf --kind partition --model $bad --valid valid set"
done
try 'ultrafilter query m.ufm set'
try 'ls x.uf'
