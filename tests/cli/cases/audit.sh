# SPDX-License-Identifier: MIT
# The auditor, with fixed streams of randomness. At epsilon 1 and 6,000 trials in each world the bound is 0.95 with a
# standard deviation of 0.02: between 0.9 and 1, and never above what is claimed. The controls must be caught.
audit() { try "ultrafilter-lab audit --seed 1 $*"; }
trials=6000
[ -z "$SMALL" ] || trials=1000

note "honest mechanisms: the share of epsilon that is seen"
# seen 'EXPERIMENT' 'SUBJECT': whether the bound is below the claim of 1, and at full size above 0.9.
seen() {
    code=0
    # shellcheck disable=SC2086
    ultrafilter-lab audit --seed 1 --json $1 $2 >out || code=$?
    bound=$(sed -n 's/ *"value": \(.*\),/\1/p' out | head -n 1)
    echo "$2: exit $code, $(awk -v bound="$bound" -v small="$SMALL" \
        'BEGIN { print (bound > 1 ? "above 1" : small != "" || bound >= 0.9 ? "fine" : "too low: " bound) }')"
}
seen "--trials $trials" '--spec dpset:n=1000,epsilon=1'
seen "--trials $trials" '--spec ultra:n=1000,epsilon=1'
seen "--trials $trials" '--mechanism dime --universe-size 50 --epsilon 1'
seen '--canaries 20000' '--spec dpset:n=20000,epsilon=1'
seen '--canaries 20000' '--spec ultra:n=20000,epsilon=1,bits=1e7'
seen '--canaries 20000' '--mechanism dime --epsilon 1'

note "in words"
audit --trials 2000 --spec dpset:n=100,epsilon=1
audit --trials 2000 --spec dpset:n=100,epsilon=1 -n 30 -j 3
audit --trials 2000 --spec ultra:n=100,epsilon=1,k=2,t=2
audit --canaries 5000 --spec dpset:n=5000,epsilon=1
audit --canaries 5000 --spec ultra:n=5000,epsilon=1
audit --trials 500 --mechanism nickel --universe-size 20 --epsilon 1 --claim 1

note "controls: the published mechanism, half of the noise, no noise"
for claim in 1 2 3; do
    audit --trials 500 --spec ultra:n=100,epsilon=$claim,mechanism=published --claim $claim
done
audit --trials 500 --spec ultra:n=100,epsilon=1,mechanism=published,hashes=paper --claim 1
audit --trials 2000 --spec dpset:n=100,epsilon=2 --claim 1
audit --canaries 5000 --spec dpset:n=5000,epsilon=2 --claim 1
audit --trials 500 --spec bloom:n=100,fpr=0.01 --claim 4
audit --trials 500 --spec ribbon:n=100 --claim 4
audit --trials 500 --spec bloom:n=100,fpr=0.01 --claim 5
audit --trials 1000 --mechanism dime --epsilon 2 --claim 1

note "JSON, and the same numbers with any number of threads"
audit --json --trials 300 --spec dpset:n=100,epsilon=1 -j 1
audit --json --canaries 300 --spec dpset:n=300,epsilon=2 --claim 1
ultrafilter-lab audit --seed 1 --json --trials 300 --spec dpset:n=100,epsilon=1 -j 1 >one
ultrafilter-lab audit --seed 1 --json --trials 300 --spec dpset:n=100,epsilon=1 -j 4 >four
cmp one four
try 'ultrafilter-lab audit --trials 50 --spec dpset:n=10,epsilon=0.05 --progress=always 2>&1 >out | tr "\r" "\n" |
    grep -c "^auditing.*%"'

note "errors"
audit
audit --spec
audit --spec nothing:n=3
audit --spec dpset:n=100
audit --spec dpset:n=100,epsilon=99
audit --spec bloom:n=100
audit --spec ultra:n=100,epsilon=1,mechanism=published
audit --spec dpset:n=100,epsilon=1 --mechanism dime
audit --spec dpset:n=100,epsilon=1 --epsilon 2
audit --spec dpset:n=100,epsilon=1 --trials 5 --canaries 5
audit --spec dpset:n=100,epsilon=1 --trials 0
audit --spec dpset:n=100,epsilon=1 --trials 2.5
audit --spec dpset:n=100,epsilon=1 --trials 1e12
audit --spec dpset:n=100,epsilon=1 --canaries 101
audit --spec dpset:n=100,epsilon=1 -n 100
audit --spec dpset:n=100,epsilon=1 --claim x
audit --spec dpset:n=100,epsilon=1 --seed x
audit --mechanism dime
audit --mechanism dime --epsilon x
audit --mechanism dime --epsilon 100
audit --mechanism dime --epsilon 1 --universe-size 5 -n 5
audit --mechanism nickel --epsilon 1
audit --mechanism shuffle --epsilon 1
audit --spec dpset:n=100,epsilon=1 file
