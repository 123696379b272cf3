# SPDX-License-Identifier: MIT
# Two sets that differ in one key, through every path that makes a private file. What someone else can see, but for the
# payload, must not depend on the set: exit status, what is printed, which files there are, their sizes, and every word
# of their headers. Each path runs three times with each set: what is the same in all runs of a set (and so is no noise)
# must be the same for the other set. What noise can hide is for the auditor (audit.sh; at full size, here). 99 and 100
# keys, so that a count has one digit more.
runs=3
known_key key 1
return=$(printf '\r')
seq 1 99 >less
seq 1 100 >more
seq 1001 2000 >negatives
seq 2001 3000 >valid

for set in less more; do
    for run in $(seq $runs); do
        mkdir -p "runs/$set$run"
        cp $set "runs/$set$run/keys"
    done
done

# observe 'COMMAND': runs it with both sets, each run in a folder of its own.
observe() {
    rm -f runs/*/[!k]*
    for place in runs/*/; do
        code=0
        (
            cd "$place" || exit
            run=${place%/}
            run=${run##*[a-z]}
            key=../../key
            eval "$1"
        ) >"$place/seen.stdout" 2>"$place/seen.stderr" || code=$?
        (
            cd "$place" || exit
            echo "$code"
            echo [!s]*
        ) >"$place/seen.end"
        [ ! -f "$place/out.uf" ] || od -An -v -tx1 -w8 -N4096 "$place/out.uf" >"$place/seen.header"
    done
}

# compare [EXCEPT]: prints what tells the sets apart, or how the runs ended. What matches EXCEPT is not looked at.
compare() {
    awk -v except="${1:-^$}" '
        FNR == 1 {
            split(FILENAME, part, "/")
            set = substr(part[2], 1, 4)
            what = substr(part[3], 6)
        }
        {
            line = what == "header" ? "byte " 8 * (FNR - 1) " of the file" : what " " FNR
            if (line ~ except) next
            known[line] = 1
            if (!((set, line) in first)) first[set, line] = $0
            else if (first[set, line] != $0) varies[set, line] = 1
            times[set, line]++
        }
        function steady(set, line) {
            return !((set, line) in varies) && (times[set, line] == 0 || times[set, line] == '$runs')
        }
        END {
            for (line in known)
                if (steady("less", line) && steady("more", line) && first["less", line] != first["more", line]) {
                    print "  TOLD APART by " line ": " first["less", line] " | " first["more", line]
                    bad = 1
                }
            if (!bad) print "  same: exit " first["more", "end 1"] ", " first["more", "end 2"]
        }' runs/*/seen.* | sort
}

# door 'COMMAND': from the keys in `keys` to out.uf. $run is the number of the run, $key a key file.
door() {
    echo "$1"
    observe "$1"
    compare
}

# noisy 'COMMAND': the same where the header, and what is printed, follow from a set that is noise.
noisy() {
    echo "$1"
    observe "$1"
    compare '^(byte|stdout)'
}

# counts 'COMMAND': and n is a count that is noise.
counts() {
    noisy "$1"
    [ "$(awk 'FNR == 10 && !($0 in seen) { seen[$0]; n++ } END { print n + 0 }' runs/*/seen.header /dev/null)" -gt 1 ] ||
        echo "  NO NOISE in n"
}

# The keys in eight bytes each. The 100th comes first and is 1, which is how filters of DCSO's bloom begin.
in_binary() {
    sed -n 100p keys | while read -r _; do printf '\001\000\000\000\000\000\000\000'; done
    # shellcheck disable=SC2046
    printf %08d $(head -n 99 keys)
}

note "the control: exact filters say how many keys they were made for"
door 'ultrafilter build -q -o out.uf --spec bloom:fpr=0.01,seed=0x5eed keys' | grep -e '^ultrafilter' -e 'byte 72'

note "private kinds, from files and pipes"
for kind in dpset ultra; do
    door "ultrafilter build -o out.uf --spec $kind:n=200,epsilon=1 keys"
    door "ultrafilter build -q -o out.uf --spec $kind:n=200,epsilon=1,seed=0x5eed - <keys && ultrafilter info --json out.uf"
    door "ultrafilter build -o out.uf --key-file \$key --spec 'keyed($kind:n=200,epsilon=1)' keys"
    door "ultrafilter publish -o out.uf --mechanism $kind --epsilon 1 --capacity 200 --key-file \$key --label r\$run \
--ledger l.ufl --budget 2 keys"
done
for design in variant=radix prefer=small prefer=accurate variant=dyadic; do
    door "ultrafilter build -o out.uf --spec dpset:n=200,epsilon=2,$design keys && ultrafilter info --json out.uf"
done
door 'ultrafilter publish --json -o out.uf --epsilon 3 --prefer small --capacity 200 keys'
door 'cat keys | ultrafilter build --json -o out.uf --spec dpset:n=200,epsilon=1 -'
door 'ultrafilter publish -o out.uf --epsilon 1 --capacity 200 keys'
door 'cat keys | ultrafilter publish --json -o out.uf --mechanism ultra --epsilon 1 --capacity 200 -'
door 'ultrafilter publish -o out.uf --epsilon 1 --capacity 200 --ledger l.ufl --budget 2 keys'
door 'ultrafilter publish -o out.uf --epsilon 1 --capacity 200 --key-file $key --label r$run keys'
door 'sed "s/$/$return/" keys | ultrafilter publish -o out.uf --epsilon 1 --capacity 200'
door 'sed "s/$/$return/" keys | ultrafilter build -o out.uf --spec dpset:n=200,epsilon=1'
door 'in_binary | ultrafilter publish -o out.uf --epsilon 1 --capacity 200 --binary 8'
door 'ultrafilter publish -o out.uf --mechanism published --epsilon 1 --capacity 200 keys'

note "copies of exact filters whose n was declared; the exact one is not handed out"
exact='ultrafilter build -q -o exact.bloom'
door "$exact --spec bloom:n=200,k=1,fpr=0.1 keys && ultrafilter publish -o out.uf --epsilon 1 exact.bloom"
door "$exact --spec bloom:n=200,k=3,fpr=0.1 keys && ultrafilter publish --json -o out.uf --epsilon 1 exact.bloom"
door "$exact --key-file \$key --spec 'keyed(bloom:n=200,k=1,fpr=0.1)' keys &&
    ultrafilter publish -o out.uf --epsilon 1 --key-file \$key --label r\$run exact.bloom"
door "$exact --spec bloom:n=200,k=1,fpr=0.1 keys &&
    ultrafilter publish -o out.uf --epsilon 1 --ledger l.ufl --budget 1 exact.bloom"

note "sets; the size of what is released is noise, and the same noise each time under a key and a label"
dime='--mechanism dime --epsilon 2 --universe range:1-1000'
label='--key-file $key --label r$run'
learned='--force --kind partition -p 0.05 --negatives ../../negatives --valid ../../valid'
for mechanism in dime nickel; do
    door "ultrafilter publish -o out.uf --mechanism $mechanism --epsilon 2 --universe range:1-1000 $label keys"
    door "cat keys | ultrafilter publish --json -o out.uf --mechanism $mechanism --epsilon 2 --universe range:1-1000 \
$label --kind bloom --bits 9600 -"
done
counts "ultrafilter publish -o out.uf $dime --kind bloom keys"
counts "ultrafilter publish -o out.uf $dime --kind bloom --ledger l.ufl --budget 3 - <keys"
door "ultrafilter publish -o out.uf $dime $label $learned keys"
noisy "ultrafilter publish -o out.uf $dime $learned keys"

note "refused, in the same words"
door 'ultrafilter build -o out.uf --spec dpset:epsilon=1 keys'
door 'ultrafilter build -o out.uf --spec ultra:epsilon=1 keys'
door 'ultrafilter build -o out.uf --spec dpset:n=2OO,epsilon=1 keys'
door 'ultrafilter build -o out.uf --spec dpset:epsilon=1 - <keys'
door "$exact --spec bloom:k=1,fpr=0.1 keys && ultrafilter publish -o out.uf --epsilon 1 exact.bloom"
door "$exact --spec bloom:k=1,fpr=0.1 - <keys && ultrafilter publish -o out.uf --epsilon 1 --capacity 200 exact.bloom"
door "ultrafilter publish -q -o old.private --epsilon 1 --capacity 200 keys &&
    ultrafilter build -o out.uf --like old.private keys"
door "ultrafilter publish -q -o old.private --epsilon 1 --capacity 200 keys &&
    ultrafilter rebuild -o out.uf --like old.private keys"
door "ultrafilter publish -q -o a.private --epsilon 1 --capacity 200 keys && cp a.private b.private &&
    ultrafilter merge -o out.uf a.private b.private"
door 'ultrafilter publish -o out.uf --epsilon 1 --capacity 200 --ledger l.ufl --budget 0.5 keys'
door 'ultrafilter publish -o out.uf --epsilon 1 --capacity 200 --key-file $key keys'

note "a noisy count is noise: no two runs have the same"
counts 'ultrafilter publish -o out.uf --epsilon 1 keys'
counts 'ultrafilter publish -o out.uf --epsilon 1 --mechanism ultra - <keys'
counts 'ultrafilter build -o out.uf --spec dpset:epsilon=1,count_epsilon=0.05 keys'

note "two releases: equal bytes tell nothing that the labels do not"
# labels 'COMMAND': of the set in $keys under $label, to $out.
labels() {
    echo "$1"
    for made in less:a less:a2 less:b more:a more:b; do
        keys=${made%:*}
        label=$(echo "${made#*:}" | tr -d 0-9)
        out=$keys.${made#*:}.uf
        quietly eval "$1"
    done
    for pair in 'less.a less.a2' 'less.a less.b' 'less.b more.b' 'more.a more.b'; do
        # shellcheck disable=SC2086
        set -- $pair
        cmp -s "$1.uf" "$2.uf" && echo "  $pair: the same bytes" || echo "  $pair: others"
    done
    rm ./*.uf
}
for mechanism in dpset ultra 'dime --universe range:1-1000 --kind bloom' 'nickel --universe range:1-1000'; do
    capacity='--capacity 200'
    case $mechanism in dime* | nickel*) capacity= ;; esac
    labels "ultrafilter publish -q -o \$out --epsilon 1 --mechanism $mechanism $capacity --key-file key --label \$label \$keys"
done
labels 'ultrafilter build -q -o $out --spec dpset:n=200,epsilon=1 --key-file key --label $label $keys'
labels 'ultrafilter build -q -o exact.bloom --spec bloom:n=200,k=1,fpr=0.1,seed=0x1 $keys &&
    ultrafilter publish -q -o $out --epsilon 1 --key-file key --label $label exact.bloom'
labels "ultrafilter build -q -o exact.bloom --key-file key --spec 'keyed(bloom:n=200,k=1,fpr=0.1,seed=0x1)' \$keys &&
    ultrafilter publish -q -o \$out --epsilon 1 --key-file key --label \$label exact.bloom"
note "without a label coins are fresh"
labels 'ultrafilter publish -q -o $out --epsilon 1 --capacity 200 $keys'

# At full size, the same paths seen by the auditor: 2,000 runs of each set, tens of minutes. One audit in 1,000 may be
# wrong. Only what is not consistent is printed, so that the output is that of any size.
[ -n "$FULL" ] || exit 0
# audited 'COMMAND': with {keys} and {out}.
audited() {
    ultrafilter-lab audit --trials 2000 --confidence 0.999 --keys less --extra 100 --command "$1" >"$TMPDIR/audit" || {
        echo "$1"
        tail -n 1 "$TMPDIR/audit"
    }
}
publish='ultrafilter publish -q -o {out}'
exact='ultrafilter build -q -o {out}.exact'
for epsilon in 0.5 1 2; do
    for kind in dpset ultra; do
        [ $kind = ultra ] || audited "ultrafilter build -q -o {out} --spec dpset:n=200,epsilon=$epsilon,variant=radix {keys}"
        audited "ultrafilter build -q -o {out} --spec $kind:n=200,epsilon=$epsilon {keys}"
        audited "ultrafilter build -q -o {out} --spec $kind:epsilon=$epsilon,count_epsilon=0.1 - <{keys}"
        audited "ultrafilter build -q -o {out} --key-file key --spec 'keyed($kind:n=200,epsilon=$epsilon)' {keys}"
        audited "$publish --epsilon $epsilon --mechanism $kind {keys}"
        audited "$publish --epsilon $epsilon --mechanism $kind --capacity 200 --ledger {out}.ufl --budget 2 {keys}"
        audited "$publish --epsilon $epsilon --mechanism $kind --capacity 200 --key-file key --label {run} {keys}"
    done
    audited "$exact --spec bloom:n=200,k=1,fpr=0.1 {keys} && $publish --epsilon $epsilon {out}.exact"
    audited "$exact --spec bloom:n=200,k=3,fpr=0.1 {keys} && $publish --epsilon $epsilon {out}.exact"
    audited "$publish --epsilon $epsilon --mechanism dime --universe range:1-200 {keys}"
    audited "$publish --epsilon $epsilon --mechanism dime --universe range:1-200 --kind bloom --bits 4000 {keys}"
    audited "$publish --epsilon $epsilon --mechanism dime --universe range:1-200 --force --kind partition -p 0.05 \
--negatives negatives --valid valid {keys}"
done
