# SPDX-License-Identifier: MIT
# Attacks at small sizes and with a seed: the same output each time. Rates are rough at these sizes; what they must be
# is checked by the unit test of the attacks, and docs/attacks.md has the figures of the full sizes.
try 'ultrafilter attack pollution --seed 1 -n 500 --trials 20000'
try 'ultrafilter attack pollution --seed 1 -n 500 --trials 20000 --kind bloom -p 0.001 --target unkeyed'
try 'ultrafilter attack saturation --seed 1 -n 100'
try 'ultrafilter attack forge --seed 1 -n 1000 --trials 5000'
try 'ultrafilter attack invert --seed 1 -n 100 --trials 1000'
try 'ultrafilter attack blind --seed 1 -n 1000 --trials 500'
try 'ultrafilter attack transfer --seed 1 -n 1000 --trials 5000'
try 'ultrafilter attack hunt --seed 1 -n 1000 --trials 20000'
try 'ultrafilter attack enumerate --seed 1 -n 500'
try 'ultrafilter attack peel --seed 1 -n 500'
try 'ultrafilter attack average --seed 1 -n 500'
try 'ultrafilter attack average --seed 1 -n 500 --epsilon 3 --target keyed'

note "JSON: one object for each row"
try 'ultrafilter attack blind --seed 1 -n 1000 --trials 100 --json --target redis'
ultrafilter attack hunt --seed 1 -n 1000 --trials 20000 --json >json
for key in target metric value low high design trials; do
    [ "$(grep -c "^      \"$key\": " json)" = 9 ] || echo "not every row has $key"
done

note "the same seed, the same attack; another one, or none, another"
attack() { ultrafilter attack hunt -n 500 --trials 20000 --json --target unkeyed "$@"; }
attack --seed 5 >a
attack --seed 5 >b
cmp a b
attack --seed 6 >b
cmp -s a b && echo "seeds make no difference"
attack >b
attack >c
cmp -s b c && echo "the system's randomness repeats"

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
quietly ultrafilter attack pollution --seed 1 -n 240 --trials 100 --plot figures
ls figures
sed -n '1,3p; $p' figures/pollution.tsv
cut -f 1 figures/pollution.tsv | sort | uniq -c | sed 's/^ *//'
grep '^plot\|^set ylabel\|^set format\|^set yrange' figures/pollution.svg
try 'touch file; ultrafilter attack pollution --plot file -n 10'
printf '#!/bin/sh\nexit 1\n' >bin/gnuplot
try 'ultrafilter attack pollution --plot figures -n 10'

note "mistakes"
try 'ultrafilter attack'
try 'ultrafilter attack polution'
try 'ultrafilter attack forge blind'
try 'ultrafilter attack forge --target bloom'
try 'ultrafilter attack average --target redis'
try 'ultrafilter attack forge --kind ribbon'
try 'ultrafilter attack forge -n 0'
try 'ultrafilter attack forge -n 1e12'
try 'ultrafilter attack forge -p 0'
try 'ultrafilter attack forge -p 0.9'
try 'ultrafilter attack forge --trials 1.5'
try 'ultrafilter attack average --epsilon 1e3'
try 'ultrafilter attack average --epsilon x'
try 'ultrafilter attack forge --plot figures'
try 'ultrafilter attack forge --seed 1 -n 100 --trials 10 --target unkeyed >/dev/full'
