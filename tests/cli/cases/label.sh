# SPDX-License-Identifier: MIT
# Labels: on every way of the command line to a private file, with and without a ledger, the same label gives the same
# bytes, another label others even for the same set, and so does none; a ledger refuses a label for a changed set.
export SOURCE_DATE_EPOCH=1000000000
seq 2 2 200 >members
seq 2 2 202 >more
seq 1 2 200 >others
seq 201 2 400 >valid
known_key k.key 1
quietly ultrafilter build -o exact.uf --spec bloom:n=200,bits=3200,k=1,seed=0x1 members
quietly ultrafilter build -o exact-more.uf --spec bloom:n=200,bits=3200,k=1,seed=0x1 more
quietly ultrafilter build -o keyed.uf --spec 'keyed(bloom:n=200,bits=3200,k=1,seed=0x1)' --key-file k.key members
quietly ultrafilter build -o keyed-more.uf --spec 'keyed(bloom:n=200,bits=3200,k=1,seed=0x1)' --key-file k.key more

# release FILE SET OPTIONS...: the way is in $way, and SET is a list or an exact filter.
release() {
    file=$1 input=$2
    shift 2
    # shellcheck disable=SC2086
    ultrafilter $way -q -o "$file" --key-file k.key "$@" $input 2>said
}

# The same without a label, and without the key where that would have no use.
unlabelled() {
    release "$@" && return
    file=$1 input=$2
    shift 2
    # shellcheck disable=SC2086
    grep -q 'no use without --label' said && ultrafilter $way -q -o "$file" "$@" $input 2>said
}

same() { cmp -s "$1" "$2" && echo equal || echo different; }

# judge SET CHANGED: what someone who compares two files sees.
judge() {
    release a.uf "$1" --label spring
    release b.uf "$1" --label spring
    release c.uf "$1" --label autumn
    release d.uf "$2" --label autumn
    unlabelled e.uf "$1"
    unlabelled f.uf "$1"
    echo "same label: $(same a.uf b.uf); another label: $(same a.uf c.uf), of a changed set: $(same a.uf d.uf); none: $(same e.uf f.uf)"
}

# account SET CHANGED: the same with a ledger.
account() {
    rm -f l.ufl
    release a.uf "$1" --label spring --ledger l.ufl --budget 100
    release b.uf "$1" --label spring --ledger l.ufl
    release c.uf "$1" --label autumn --ledger l.ufl
    unlabelled e.uf "$1" --ledger l.ufl
    release d.uf "$2" --label spring --ledger l.ufl || grep -o 'label spring is that of the release' said
    echo "with a ledger: $(same a.uf b.uf), $(same a.uf c.uf), $(same a.uf e.uf); $(ultrafilter ledger l.ufl | sed -n 's/.* by \(.*\), .*/\1/p')"
}

learn='--kind partition -p 0.01 --negatives others --valid valid --force'
for way in 'publish --epsilon 3 -n 200' 'publish --epsilon 3' 'publish --epsilon 3 -n 200 --mechanism ultra' \
    'publish --epsilon 3 --mechanism dime --universe range:1-1000' \
    'publish --epsilon 3 --mechanism dime --universe range:1-1000 --kind bloom' \
    "publish --epsilon 3 --mechanism dime --universe range:1-1000 $learn"; do
    note "$way"
    judge members more
    account members more
done
for way in 'publish --epsilon 3 -n 200 --mechanism published' 'publish --epsilon 3 --mechanism nickel --universe range:1-1000' \
    'build --spec dpset:n=200,epsilon=3' 'build --spec ultra:n=200,epsilon=3' 'build --spec keyed(dpset:n=200,epsilon=3)'; do
    note "$way: no ledger covers it"
    judge members more
done
note "copies of exact filters"
way='publish --epsilon 3'
judge exact.uf exact-more.uf
account exact.uf exact-more.uf
judge keyed.uf keyed-more.uf
account keyed.uf keyed-more.uf

note "a file and its entry"
rm -f l.ufl
publish='ultrafilter publish --epsilon 3 -n 200 --key-file k.key --ledger l.ufl'
quietly $publish -o 'the patients.uf' --label spring --budget 9 members
id=$(ultrafilter info --json 'the patients.uf' | sed -n 's/^  "id": "\(.*\)".*/\1/p')
this() { sed "s/$id/ID/"; }
try 'ultrafilter ledger l.ufl | this'
try "ultrafilter info 'the patients.uf' | grep 'Release id' | this"
try "$publish --json -o again.uf --label spring members | grep -e '\"id\"' -e spring -e charged -e delta | this"
try "$publish -o changed.uf --label spring more 2>&1 | this; ls changed.uf"
try "$publish -o changed.uf --epsilon 2 --label spring members 2>&1 | this; ls changed.uf"
try "$publish -o other.uf --data-set staff --budget 9 --label spring members 2>&1 | this; ls other.uf"
try 'ultrafilter info --json exact.uf | grep -c "\"id\""'
note "a run that died between the charge and the file is made again for nothing"
rm 'the patients.uf'
try "$publish -o 'the patients.uf' --label spring members | grep -A 1 Ledger; cmp again.uf 'the patients.uf' && echo the same"

note "what a label may be"
try 'ultrafilter publish -o x.uf --epsilon 3 -n 200 --key-file k.key members'
try 'ultrafilter publish -o x.uf --epsilon 3 --mechanism dime --universe range:1-1000 --key-file k.key members'
try 'ultrafilter build -o x.uf --spec ultra:n=200,epsilon=3 --key-file k.key members'
try 'ultrafilter publish -o x.uf --epsilon 3 -n 200 --label spring members'
try 'ultrafilter build -o x.uf --spec dpset:n=200,epsilon=3 --label spring members'
try 'ultrafilter build -o x.uf --spec bloom:n=200 --label spring --key-file k.key members'
try 'ultrafilter build -o x.uf -n 200 --label spring --key-file k.key members'
try 'ultrafilter build -o x.uf --spec dpset:n=200,epsilon=3,seed=derived --key-file k.key members'
for label in '' ' ' 'two words' 0123456789012345678901234567890123456789012345678901234567890123; do
    try "ultrafilter publish -o x.uf --epsilon 3 -n 200 --key-file k.key --label '$label' members"
done
for epoch in '' x 12x -1 0 99999999999999999999; do
    try "SOURCE_DATE_EPOCH='$epoch' $publish --label winter -o x.uf members"
done
try 'ls x.uf'
