# SPDX-License-Identifier: MIT
# The auditor, with fixed streams of randomness. At epsilon 1 and 1,500 trials in each world, of which half are counted,
# the bound is 0.77 with a standard deviation of 0.07: between 0.5 and 1, and never above what is claimed. The controls
# must be caught.
audit() { try "ultrafilter-lab audit --seed 1 $*"; }
trials=1500
[ -z "$SMALL" ] || trials=1000

note "honest mechanisms: the share of epsilon that is seen"
# seen 'EXPERIMENT' 'SUBJECT': whether the bound is below the claim of 1, and at full size above 0.5.
seen() {
    code=0
    # shellcheck disable=SC2086
    ultrafilter-lab audit --seed 1 --json $1 $2 >out || code=$?
    bound=$(sed -n 's/ *"value": \(.*\),/\1/p' out | head -n 1)
    echo "$2: exit $code, $(awk -v bound="$bound" -v small="$SMALL" \
        'BEGIN { print (bound > 1 ? "above 1" : small != "" || bound >= 0.5 ? "fine" : "too low: " bound) }')"
}
seen "--trials $trials" '--spec dpset:n=1000,epsilon=1'
seen "--trials $trials" '--spec ultra:n=1000,epsilon=1'
seen "--trials $trials" '--spec ultra:epsilon=1 --exact bloom:n=100,k=1,fpr=0.01'
seen "--trials $trials" '--mechanism dime --universe-size 50 --epsilon 1'
seen "--trials $trials" '--mechanism dime --universe-size 50 --epsilon 1 --spec bloom:n=50,fpr=0.01'
seen '--canaries 20000' '--spec dpset:n=20000,epsilon=1'
seen '--canaries 20000' '--spec ultra:n=20000,epsilon=1,bits=1e7'
seen '--canaries 20000' '--mechanism dime --epsilon 1'

note "mixed radix: at full size at least 0.9 epsilon is seen, of the bytes of 12,000 files in each world and of one file with 40,000 canaries"
# near EPSILON 'EXPERIMENT' 'EXPERIMENT AT FULL SIZE' 'SUBJECT'
near() {
    code=0
    experiment=$2
    [ -z "$FULL" ] || experiment=$3
    # shellcheck disable=SC2086
    ultrafilter-lab audit --seed 1 --json $experiment $4 >out || code=$?
    bound=$(sed -n 's/ *"value": \(.*\),/\1/p' out | head -n 1)
    echo "$4: exit $code, $(awk -v bound="$bound" -v epsilon="$1" -v full="$FULL" \
        'BEGIN { print (bound > epsilon ? "above " epsilon : full == "" || bound >= 0.9 * epsilon ? "fine" : "too low: " bound) }')"
}
for epsilon in 1 2 3; do
    near $epsilon '--trials 600' '--trials 12000' "--spec dpset:n=100,epsilon=$epsilon,variant=radix"
    near $epsilon '--canaries 5000' '--canaries 40000' "--spec dpset:n=40000,epsilon=$epsilon,variant=radix"
done

note "in words"
audit --trials 600 --spec dpset:n=100,epsilon=1
audit --trials 600 --spec dpset:n=100,epsilon=1 -n 30 -j 3
audit --trials 600 --spec ultra:n=100,epsilon=1,k=2,t=2 --confidence 0.99
seq 5 >five
audit --trials 600 --spec ultra:n=100,epsilon=1 --keys five --extra six
audit --trials 600 --spec dpset:n=100,epsilon=1 --claim 0.5 --delta 0.3
audit --canaries 5000 --spec dpset:n=5000,epsilon=1
audit --canaries 5000 --spec ultra:n=5000,epsilon=1
audit --trials 500 --mechanism nickel --universe-size 20 --epsilon 1 --claim 1

note "controls: the published mechanism, half of the noise, no noise"
for claim in 1 2 3; do
    audit --trials 500 --spec ultra:n=100,epsilon=$claim,mechanism=published --claim $claim
done
audit --trials 500 --spec ultra:n=100,epsilon=1,mechanism=published,hashes=paper --claim 1
audit --trials 200 --spec ultra:n=100,epsilon=1,mechanism=published,k=20 --claim 1
audit --trials 600 --spec dpset:n=100,epsilon=2 --claim 1
audit --canaries 5000 --spec dpset:n=5000,epsilon=2 --claim 1
audit --trials 600 --spec dpset:n=100,epsilon=2,variant=radix --claim 1
audit --canaries 5000 --spec dpset:n=5000,epsilon=4,variant=radix --claim 2
audit --canaries 5000 --spec dpset:n=5000,epsilon=6,variant=radix --claim 3
audit --trials 500 --spec bloom:n=100,fpr=0.01 --claim 3
audit --trials 500 --spec ribbon:n=100 --claim 3
audit --trials 500 --spec bloom:n=100,fpr=0.01 --claim 5
audit --trials 1000 --mechanism dime --epsilon 2 --claim 1

note "a noiseless filter with too few trials is not consistent"
audit --trials 20 --spec bloom:n=100,fpr=0.01 --claim 3
audit --trials 100 --spec dpset:n=100,epsilon=5
audit --canaries 30 --spec dpset:n=30,epsilon=4

note "commands: each tells by something else which list it had"
# told 'COMMAND' [OPTION...]: the verdict, and the event that gave it away. {run} is all the noise they have.
told() {
    command=$1
    shift
    code=0
    ultrafilter-lab audit --seed 1 --trials 44 --json --epsilon 1 "$@" --command "$command" >out || code=$?
    echo "$command: exit $code, $(sed -n 's/.*"verdict": "\(.*\)",/\1/p' out)$(awk -F'"' '
        /"event":/ { event = $4 }
        /"epsilon":/ { split($3, part, " "); if (part[2] + 0 > best) { best = part[2] + 0; first = event } }
        END { if (best > 1) print ", " first }' out)"
}
told 'grep -qx six {keys} || echo {run} >{out}' --keys five --extra six
told 'ultrafilter build -q -o {out} --spec dpset:n=$(wc -l <{keys}),epsilon=1,variant=dyadic {keys}' # of both sizes alike
told 'ultrafilter publish -q -o {out} --epsilon 20 --capacity 100 {keys}'
files_in "$TMPDIR" | tr ' ' '\n' | grep -c ultrafilter-audit || :
# What the file claims itself, and a promise that is kept. It draws its own noise: one audit in 100,000 may fail.
try "ultrafilter-lab audit --trials 10 --confidence 0.99999 --command 'ultrafilter publish -q -o {out} --epsilon 1 --capacity 100 {keys}' | sed -n 's/\(as it claims\).*/\1/p'"

note "JSON, and the same numbers with any number of threads"
audit --json --trials 300 --spec ribbon:n=100 --claim 1 -j 1
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
audit --spec dpset:n=100,epsilon=1 --epsilon 2
audit --spec ultra:epsilon=1 --exact nothing:n=3
audit --spec ultra:epsilon=1 --exact bloom:n=100 --mechanism dime --epsilon 1
audit --spec dpset:n=100,epsilon=1 --command true
audit --command
audit --command true --trials 2
audit --command "'echo so and so >&2; exit 3'" --trials 2 --epsilon 1
audit --command "'cat {keys} >{out}'" --trials 2
audit --command true --claim 1
audit --spec dpset:n=100,epsilon=1 --delta 0.1
audit --spec dpset:n=100,epsilon=1 --claim 1 --delta 1
audit --spec dpset:n=100,epsilon=1 --confidence 1
audit --spec dpset:n=100,epsilon=1 --keys nowhere
audit --spec dpset:n=100,epsilon=1 --keys five -n 3
audit --spec dpset:n=100,epsilon=1 --keys five --extra 5
audit --spec dpset:n=100,epsilon=1 --trials 5 --canaries 5
audit --spec dpset:n=100,epsilon=1 --trials 0
audit --spec dpset:n=100,epsilon=1 --trials 1
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
