# SPDX-License-Identifier: MIT
# publish: what it says, what it writes, and that members and strangers are answered as promised.
n=100000
seq $n >members
seq $((n + 1)) $((3 * n)) >strangers

try 'ultrafilter publish -o a.uf --epsilon 3 --capacity 100000 members'
try 'ultrafilter info a.uf | grep -v Spec | mask_ids'
try 'ultrafilter publish -o n.uf --epsilon 3 members | sed "s/capacity, [0-9,]*\./capacity, N./; s/[0-9.]* KiB  [0-9.]* bits/SIZE/; s/^\( *1[0-9,]\{5,\}\)\./N./"'
try 'ultrafilter publish -o b.uf --epsilon 1 -n 1e5 --mechanism ultra --bits-per-key 8 members'
try 'ultrafilter publish -o c.uf --epsilon 3 -n 1e5 --mechanism published members'
try 'ultrafilter publish -q -o d.uf --epsilon 3 -n 1e5 members'
try 'ultrafilter publish --json -o d.uf --epsilon 3 -n 1e5 members | sed "s/seed=0x[0-9a-f]*/seed=SEED/" | mask_ids'

note "info tells no count"
for file in a.uf b.uf; do
    ultrafilter info --json $file | grep -cE '"(count_estimate|fill|fpr_now)"' || true
done

note "released sets"
seq 1 2 19999 >odd
try 'ultrafilter publish -o e.uf --epsilon 2 --mechanism dime --universe range:1-100000 odd | sed "1s/[0-9.]* KiB/SIZE/"'
try 'ultrafilter publish -o f.uf --epsilon 3 --mechanism nickel --universe file:members --kind bloom odd | sed "1s/[0-9.]* KiB/SIZE/"'
try 'ultrafilter query -c f.uf odd'
try 'echo 1 | ultrafilter insert e.uf'
try 'ultrafilter merge -o m.uf e.uf e.uf'

note "noisy copies of a filter that is kept"
quietly ultrafilter build -o exact.uf --spec bloom:n=1e5,bits=16e5,k=1 members
try 'ultrafilter publish -o g.uf --epsilon 3 exact.uf'
try 'echo 1 | ultrafilter insert g.uf'
try 'echo new | ultrafilter insert exact.uf >/dev/null && echo new | ultrafilter query exact.uf'
try 'ultrafilter publish -o g.uf --epsilon 3 -n 2e5 exact.uf'
try 'ultrafilter publish -o g.uf --epsilon 3 --mechanism dpset exact.uf'
try 'ultrafilter publish -o g.uf --epsilon 3 --mechanism dime --universe range:1-9 exact.uf'

note "with a label: the same set, the same bytes, in any order and with copies"
# A key for this test alone, so that its counts are the same in every run.
echo 'ultrafilter-key-1 0b9373bb4796658215c02c079d794d6c9591e93c99e9b1441217a1a5b0471820 74012892ed40db14' >k.key
chmod 600 k.key
quietly ultrafilter keygen -o other.key
export_one() { ultrafilter publish -q -o "$1" --epsilon 3 -n 2e5 --key-file k.key --label spring "$2"; }
sort -R members >shuffled
cat members shuffled >doubled
export_one 1.uf members
export_one 2.uf shuffled
export_one 3.uf doubled
cmp 1.uf 2.uf && cmp 1.uf 3.uf && echo "three exports are one file"
seq 2 $n >fewer
export_one 4.uf fewer
cmp -s 1.uf 4.uf || echo "another set is another file"
ultrafilter publish -q -o 5.uf --epsilon 3 -n 2e5 --key-file other.key --label spring members
cmp -s 1.uf 5.uf || echo "another key is another file"
ultrafilter publish -q -o 7.uf --epsilon 3 -n 2e5 members
ultrafilter publish -q -o 8.uf --epsilon 3 -n 2e5 members
cmp -s 7.uf 8.uf || echo "without a key every export is another file"
note "no file has the key in it"
digits=$(sed 's/^[^ ]* \([0-9a-f]*\) .*/\1/' k.key)
for file in *.uf; do
    if grep -qiF "$digits" "$file" || od -An -v -tx1 "$file" | tr -d ' \n' | grep -qF "$digits"; then
        echo "$file has the key in it"
    fi
done

note "accuracy: within 3 sigma of the promise, and the control that must not pass"
# judge FILE EPSILON: members missed and strangers accepted, against the limit 1 / (1 + e^epsilon).
judge() {
    missed=$((n - $(ultrafilter query -c "$1" members)))
    accepted=$(ultrafilter query -c "$1" strangers)
    awk -v e="$2" -v n=$n -v m=$missed -v a="$accepted" -v what="$1 against epsilon $2" 'BEGIN {
        f = 1 / (1 + exp(e)) * 1.002; s = 3 * sqrt(f * (1 - f))
        near = (m / n - f)^2 < (s / sqrt(n) + 0.002 * f)^2 && (a / n / 2 - f)^2 < (s / sqrt(2 * n) + 0.004 * f)^2
        print what ":", near ? "as promised" : "not as promised"
    }'
}
judge 1.uf 3
judge 1.uf 6

note "what the owner of a nickel release knows, 10 of 50: said when asked for, and nowhere that others look"
seq 10 >ten
try 'ultrafilter publish -o n.uf --epsilon 3 --mechanism nickel --universe range:1-50 --odds ten >report'
try 'ultrafilter publish -o n.uf --epsilon 3 --mechanism nickel --universe range:1-50 ten >report; ultrafilter info n.uf >>report; grep -c -e "83.4" -e "10 members" report'
try 'ultrafilter publish -o n.uf --epsilon 3 --mechanism nickel --universe range:1-50 --odds -q ten'
try 'ultrafilter publish -o n.uf --epsilon 3 --mechanism nickel --universe range:1-50 --odds --json ten 2>note | grep -c posterior; grep -c "83.4 %" note'
try 'seq 40 | ultrafilter publish -o n.uf --epsilon 3 --mechanism nickel --universe range:1-50 --odds >report'
try 'ultrafilter publish -o n.uf --epsilon 3 --mechanism dime --universe range:1-50 --odds ten >report'
