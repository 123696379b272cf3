# SPDX-License-Identifier: MIT
# Attacks at small sizes and with a seed: the same output each time. Rates are rough at these sizes; what they must be
# is checked by the unit test of the attacks, and docs/attacks.md has the figures of the full sizes.
try 'ultrafilter-lab attack pollution --seed 1 -n 500 --trials 20000'
try 'ultrafilter-lab attack pollution --seed 1 -n 500 --trials 20000 --kind bloom -p 0.001 --target unkeyed'
try 'ultrafilter-lab attack saturation --seed 1 -n 100'
try 'ultrafilter-lab attack concentrate --seed 1 -n 5000 --trials 20000'
try 'ultrafilter-lab attack forge --seed 1 -n 1000 --trials 5000'
try 'ultrafilter-lab attack invert --seed 1 -n 100 --trials 1000'
try 'ultrafilter-lab attack blind --seed 1 -n 1000 --trials 500'
try 'ultrafilter-lab attack transfer --seed 1 -n 1000 --trials 5000'
try 'ultrafilter-lab attack hunt --seed 1 -n 1000 --trials 20000'
try 'ultrafilter-lab attack enumerate --seed 1 -n 500'
try 'ultrafilter-lab attack peel --seed 1 -n 500'
for n in 1 7 300; do # any size and seed: nobody is taken for a member who is none
    for seed in 1 2 3 4; do
        ultrafilter-lab attack peel --seed $seed -n $n --target unkeyed --json >json || echo "peel -n $n --seed $seed failed"
        [ "$(jq '.results[] | select(.metric == "certified_wrong").value' json)" = 0 ] || echo "peel -n $n --seed $seed: wrong"
    done
done
try 'ultrafilter-lab attack removal --seed 1 -n 500 --trials 20'
try 'ultrafilter-lab attack average --seed 1 -n 500'
try 'ultrafilter-lab attack churn --seed 1 -n 500 --trials 20000 --target keyed'
try 'ultrafilter-lab attack average --seed 1 -n 500 --epsilon 3 --target keyed'
try 'ultrafilter-lab attack supply --seed 1 -n 300 --trials 2'

note "JSON: one object for each row"
try 'ultrafilter-lab attack blind --seed 1 -n 1000 --trials 100 --json --target redis'
ultrafilter-lab attack hunt --seed 1 -n 1000 --trials 20000 --json >json
for key in target metric value low high design trials; do
    [ "$(grep -c "^      \"$key\": " json)" = 9 ] || echo "not every row has $key"
done

note "the same seed, the same attack; another one, or none, another"
attack() { ultrafilter-lab attack hunt -n 500 --trials 20000 --json --target unkeyed "$@"; }
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
quietly ultrafilter-lab attack pollution --seed 1 -n 240 --trials 100 --plot figures
ls figures
sed -n '1,3p; $p' figures/pollution.tsv
cut -f 1 figures/pollution.tsv | sort | uniq -c | sed 's/^ *//'
grep '^plot\|^set ylabel\|^set format\|^set yrange' figures/pollution.svg
try 'touch file; ultrafilter-lab attack pollution --plot file -n 10'
printf '#!/bin/sh\nexit 1\n' >bin/gnuplot
try 'ultrafilter-lab attack pollution --plot figures -n 10'

note "mistakes"
try 'ultrafilter-lab attack'
try 'ultrafilter-lab attack polution'
try 'ultrafilter-lab attack forge blind'
try 'ultrafilter-lab attack forge --target bloom'
try 'ultrafilter-lab attack average --target redis'
try 'ultrafilter-lab attack forge --kind ribbon'
try 'ultrafilter-lab attack forge -n 0'
try 'ultrafilter-lab attack forge -n 1e12'
try 'ultrafilter-lab attack forge -p 0'
try 'ultrafilter-lab attack forge -p 0.9'
try 'ultrafilter-lab attack forge --trials 1.5'
try 'ultrafilter-lab attack average --epsilon 1e3'
try 'ultrafilter-lab attack average --epsilon x'
try 'ultrafilter-lab attack forge --plot figures'
try 'ultrafilter-lab attack forge --seed 1 -n 100 --trials 10 --target unkeyed >/dev/full'
