# SPDX-License-Identifier: MIT
# What learned kinds refuse: each with a sentence and exit 2, and no file is left. More of it is in the case learned.
words 0 3000 1 >set
words 1 3000 2 >others
words 1 3000 3 >valid
: >empty
quietly ultrafilter train -o m.ufm --positives set --negatives others --valid valid
partition='ultrafilter build -o x.uf --kind partition -p 0.01'

note "negatives"
try "$partition --negatives empty --valid valid set"
try "$partition --negatives others --valid empty set"
try "$partition --model m.ufm --valid empty set"
try "$partition --negatives set --valid valid set"
try "$partition --negatives others --valid set set"
try "$partition --negatives nowhere --valid valid set"
try "$partition --negatives others set"
try "$partition --valid valid set"
try "$partition --negatives others --valid valid empty"
head -n 1200 set | cat - others >mixed
try "$partition --negatives mixed --valid valid set | sed 's/  [0-9].*//'; rm x.uf"

note "negatives that are repeated, trained on, or few"
rate() { sed 's/  [0-9].*//'; }
head -n 1 valid | awk '{ for (i = 0; i < 2000; i++) print }' >one
cat valid valid >twice
cat valid others | tail -n 4000 >shared
try "$partition --negatives others --valid one set | rate"
try "$partition --negatives others --valid twice set | rate"
try "$partition --negatives others --valid shared set | rate"
try "$partition --negatives others --valid others set"
try "ultrafilter train -o y.ufm --positives set --negatives others --valid shared | rate; rm y.ufm"
try "ultrafilter train -o y.ufm --positives set --negatives others --valid others"
head -n 200 valid >little
try "$partition --force --model m.ufm --valid little set | rate"
rm x.uf

note "standard input has one list only"
try "$partition --model m.ufm --valid - <valid"
try "$partition --model m.ufm --valid - - <valid"
try "$partition --negatives - --valid - set <valid"
try "ultrafilter train -o x.ufm --positives - --negatives - --valid valid <set"
try "$partition -q --model m.ufm --valid - set <valid; rm x.uf"

note "names and numbers"
for regions in 0 1 17 2.5 many; do try "$partition --regions $regions --model m.ufm --valid valid set"; done
for children in dcso partition counting fast; do
    try "$partition --children $children --model m.ufm --valid valid set"
done
try 'ultrafilter build -o x.uf --spec learned:fpr=0.01,regions=3 --model m.ufm --valid valid set'
try 'ultrafilter build -o x.uf --spec partition:fpr=0 --model m.ufm --valid valid set'
try 'ultrafilter build -o x.uf --spec partition:fpr=0.01,children=dcso --model m.ufm --valid valid set'

note "scores"
awk '{ print length($0) % 7 + NR / 1e4 }' set >set.scores
awk '{ print NR / 1e4 }' valid >valid.scores
bad_scores() { try "$partition --scores $1 --valid valid --valid-scores $2 set"; }
for word in nan -NaN inf -inf 1e999 0x 1,5 '' '1 2' 1x; do
    try "sed '7s/.*/$word/' set.scores >bad.scores; $partition --scores bad.scores --valid valid --valid-scores valid.scores set"
done
sed '9s/.*/nan/' valid.scores >bad.scores
bad_scores set.scores bad.scores
head -n 2999 set.scores >few.scores
bad_scores few.scores valid.scores
bad_scores set.scores few.scores
cat set.scores few.scores >many.scores
bad_scores many.scores valid.scores
bad_scores empty valid.scores
bad_scores m.ufm valid.scores
quietly ultrafilter build -o own.uf --force --kind partition --scores set.scores --valid valid --valid-scores valid.scores set
for scores in few.scores bad.scores many.scores; do try "ultrafilter query -c --scores $scores own.uf set"; done
try 'ultrafilter query -c own.uf set'

note "a model cut anywhere, and with any one byte altered: never used"
refused=0
all=0
refuse() {
    code=0
    ultrafilter build -o x.uf --kind partition --model bad.ufm --valid valid set >said 2>&1 || code=$?
    all=$((all + 1))
    if [ $code -eq 2 ] && grep -q '^ultrafilter: bad\.ufm is ' said && [ ! -e x.uf ]; then
        refused=$((refused + 1))
    else
        echo "$1: exit $code: $(cat said)"
    fi
}
size=$(size_of m.ufm)
for at in 0 1 7 8 9 63 64 127 128 135 136 137 200 $((size - 1)); do
    head -c $at m.ufm >bad.ufm
    refuse "cut after $at"
done
cat m.ufm empty >bad.ufm
printf x >>bad.ufm
refuse "one byte more"
step=3
[ -z "$SMALL" ] || step=17
at=0
while [ $at -lt "$size" ]; do
    byte=$(dd if=m.ufm bs=1 skip=$at count=1 status=none | od -An -tu1)
    cp m.ufm bad.ufm
    put bad.ufm $at "\\$(printf %03o $((byte ^ 1 << at % 8)))"
    refuse "byte $at"
    [ $at -lt 140 ] && at=$((at + step)) || at=$((at + 29))
done
[ $refused -eq $all ] && [ $all -gt 25 ] && echo "all refused"
mkdir folder
head -c 400 /dev/zero >zeros
gzip -c m.ufm | head -c 100 >m.ufm.gz
quietly ultrafilter build -o plain.uf set
for wrong in folder zeros m.ufm.gz plain.uf set.scores; do
    try "$partition --model $wrong --valid valid set"
done
try 'ls x.uf'
