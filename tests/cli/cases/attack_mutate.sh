# SPDX-License-Identifier: MIT
# The attacks on learned filters at small sizes and with a seed. That mutants are accepted where a model is believed, and
# not elsewhere, is checked by the unit test of the learned games; docs/attacks.md has the figures of the full sizes.
try 'ultrafilter-lab attack mutate --seed 1 -n 1000 --trials 400'
try 'ultrafilter-lab attack mutate --seed 1 -n 500 --trials 100 --target robust --adversarial-share 0.2 -p 0.05 --kind blocked'

note "keys of one's own"
awk 'BEGIN { for (i = 0; i < 2000; i++) print "item" i * 7919 % 100003 ".example" }' >set
awk 'BEGIN { for (i = 0; i < 4000; i++) print "www" i * 104729 % 999983 ".invalid" }' >others
head -2000 others >negatives
tail -2000 others >valid
try 'ultrafilter-lab attack mutate --seed 1 --trials 100 --target learned --positives set --negatives negatives --valid valid'

note "JSON: one object for each row; the same seed, the same attack"
attack() { ultrafilter-lab attack mutate -n 300 --trials 100 --json --target downtown "$@"; }
attack --seed 5 >a
attack --seed 5 >b
cmp a b
attack --seed 6 >b
cmp -s a b && echo "seeds make no difference"
head -8 a
grep '"metric"' a

note "a plot, by a gnuplot that only looks at what it gets"
mkdir bin
cat >bin/gnuplot <<'END'
#!/bin/sh
# gnuplot -e EXPRESSION [SCRIPT]: writes the script itself as the picture.
out=$(printf '%s' "$2" | sed -n "s/.*out='\([^']*\)'.*/\1/p")
[ -z "$out" ] || cp "$3" "$out"
END
chmod +x bin/gnuplot
PATH=$PWD/bin:$PATH
quietly ultrafilter-lab attack mutate --seed 1 -n 300 --trials 40 --plot figures
ls figures
cut -f 1 figures/mutate.tsv
awk -F '\t' '{ print NF }' figures/mutate.tsv | sort | uniq -c | sed 's/^ *//'
grep '^plot\|^set ylabel' figures/mutate.svg

note "mistakes"
try 'ultrafilter-lab attack mutate --target redis'
try 'ultrafilter-lab attack forge --target robust'
try 'ultrafilter-lab attack forge --positives set'
try 'ultrafilter-lab attack forge --adversarial-share 0.1'
try 'ultrafilter-lab attack mutate --positives set'
try 'ultrafilter-lab attack mutate --positives set --negatives negatives --valid valid -n 10'
try 'ultrafilter-lab attack mutate --positives set --negatives negatives --valid set'
try 'ultrafilter-lab attack mutate --positives none --negatives negatives --valid valid'
try 'ultrafilter-lab attack mutate --adversarial-share 1.5'
awk '{ s = $0; while (length(s) < 256) s = s $0; print s }' set >long
try 'ultrafilter-lab attack mutate --positives long --negatives negatives --valid valid'
try 'ultrafilter-lab attack mutate --positives set --negatives negatives --valid long'
