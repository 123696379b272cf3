# SPDX-License-Identifier: MIT
# The papers' experiments at 1 / 64 of the size, without figures. Tolerances are 8 times as wide then: 0.016 for the
# numbers of the UltraFilter paper, which is four standard deviations. Controls are in tests/unit/test_experiments.c and
# test_bodega_paper.c.
for list in french british-english-huge; do
    [ -r /usr/share/dict/$list ] || skip "the word list $list is not installed"
done
size=16384
[ -z "$SMALL" ] || size=4096

note "every number is within its tolerance"
ultrafilter-lab reproduce --out out -n $size --data-only >text || echo "exit $?"
sed -n '/^== /p; s/^\([0-9]* of [0-9]* numbers are within their tolerance\).*/\1/p; /^Out of/p' text
grep -c '!' text || :
ls out | tr '\n' ' '
echo
ls -A out | grep -c part || :

note "every numbered statement of the papers has one row, and no other has; none differs; each has its command"
awk -F '\t' '!/^#/ { kind = $2; sub(/ .*/, "", kind); list = substr($2, length(kind) + 2); n = split(list, number, ", "); for (i = 1; i <= n; i++) print $1, kind, number[i] }' \
    "$SOURCE/experiments/papers_numbering.txt" | sort >printed
tail -n +2 out/papers.tsv | cut -f 1,2 | tr '\t' ' ' | sort | cmp - printed
grep -c . printed
awk -F '\t' 'NR > 1 && (NF != 7 || $3 == "" || $4 == "" || $5 == "" || $6 == "differs" || $7 !~ /^ultrafilter/)' out/papers.tsv
tail -n +2 out/papers.tsv | cut -f 6 | sort | uniq -c | sed 's/^ *//'
grep -c ' | ours: ' text

note "the paper beside ours"
cut -f 1,2,4 out/table2.tsv | grep paper
cut -f 1,3,4,6 out/figure6.tsv | sed -n '1,3p; $p'

note "the Bodega paper: where each filter stops winning; and filters of words under attack"
cut -f 1,3- out/bodega_table1.tsv
cut -f 1,4,6-9 out/bodega_alpha.tsv
head -1 out/bodega_measured.tsv
cut -f 1 out/bodega_measured.tsv | tr '\n' ' '
echo
awk -F '\t' '$1 + 0 >= 0.05 && !($7 < $9) { print "robust is no better than one that is planned for nobody, at alpha " $1 }' \
    out/bodega_measured.tsv

note "keys of one's own"
mkdir data
words 0 1500 1 >data/pos.txt
for part in train valid test; do
    words 1 600 $((seed = ${seed:-1} + 1)) >data/neg_$part.txt
done
ultrafilter-lab reproduce bodega --data data --out data --data-only -n 2000 >text || echo "exit $?"
sed -n 's/^Measured: \([0-9]* keys of --data\).*/\1/p; s/^\([0-9]* of [0-9]* numbers are within their tolerance\).*/\1/p' text
: >data/neg_valid.txt
try 'ultrafilter-lab reproduce bodega --data data --out out --data-only -n 2000'
rm data/neg_valid.txt
try 'ultrafilter-lab reproduce bodega --data data --out out --data-only'

note "one experiment; the same numbers with any number of threads; others with another seed"
quietly ultrafilter-lab reproduce ultrafilter --out one -n 2000 --data-only -j 1
quietly ultrafilter-lab reproduce ultrafilter --out four -n 2000 --data-only -j 4
diff -r one four
ls one | tr '\n' ' '
echo
ultrafilter-lab reproduce ultrafilter --out other -n 2000 --data-only --seed 2 >text || echo "exit $?"
cmp -s one/table2.tsv other/table2.tsv || echo "differs"

note "JSON"
ultrafilter-lab reproduce ultrafilter -n 1000 --out one --data-only --json >json
json_keys <json | sort | uniq -c | sed 's/^ *//'
grep -c '"fails": true' json || :
sed -n '/"table": "table1"/,/}/p' json | sed -n 1,8p

note "errors"
try 'ultrafilter-lab reproduce'
try 'ultrafilter-lab reproduce nothing --out out'
try 'ultrafilter-lab reproduce ultrafilter nickel-dime --out out'
try 'ultrafilter-lab reproduce --out out -n 10'
try 'ultrafilter-lab reproduce --out out -n 1e9'
try 'ultrafilter-lab reproduce --data-only --out no/where'
touch file
try 'ultrafilter-lab reproduce --data-only --out file'
mkdir empty
ln -s "$PROGRAM-lab" empty/ultrafilter-lab
try 'PATH=$PWD/empty; ultrafilter-lab reproduce --out new -n 2000'
[ ! -e new ] || echo 'the folder was made'
mkdir -p taken/table2.tsv
try 'ultrafilter-lab reproduce ultrafilter --out taken -n 1000 --data-only'
ls -A taken
