# SPDX-License-Identifier: MIT
# Learned filters on real words, on numbers and on addresses. What is printed does not depend on which words exactly the
# packages have: sizes are compared, rates are checked against a bound.
dict=/usr/share/dict
for language in american-english ngerman french; do
    [ -r $dict/$language ] || skip "the word list $language is not installed"
done
every=1
[ -z "$SMALL" ] || every=5
pick() { awk -v every=$every -v of="$1" -v rest="$2" 'NR % every == 0 && ++n % of == rest'; }

# check FILE N D: all of the set is found; of the fresh keys that are not in the set at most 1.1 N/D. At 1 % and 100 000
# keys chance moves the rate by 3 %, and by as much in the plan, which has a margin for it.
check() {
    echo "missed: $(ultrafilter query -v "$1" set | wc -l)"
    wrong=$(ultrafilter query -c "$1" fresh || true)
    all=$(wc -l <fresh)
    [ "$all" -gt 1000 ] || echo "only $all fresh keys"
    [ $((wrong * 10 * $3)) -le $((all * 11 * $2 + 300 * $3)) ] && echo "rate kept" || echo "$wrong of $all accepted"
}

# at_most A B PERCENT: whether A is at most so many percent of B, in size.
at_most() {
    [ $(($(size_of "$1") * 100)) -le $(($(size_of "$2") * $3)) ] && echo "at most $3 % of $2" ||
        echo "$1 has $(size_of "$1") bytes, $2 has $(size_of "$2")"
}

note "American words against German and French ones"
pick 1 0 <$dict/american-english >set
sort -u $dict/ngerman $dict/french >all
for part in 0 1 2; do pick 3 $part <all >part$part; done
sort set >sorted
sort part2 | comm -23 - sorted >fresh
quietly ultrafilter build -o plain.uf --kind ribbon -p 0.01 set
quietly ultrafilter build -o bloom.uf --kind bloom -p 0.01 set
try 'ultrafilter build -o words.uf --kind partition -p 0.01 --negatives part0 --valid part1 set 2>warnings >line; sed "s/ *[0-9].*//" line; sed "s/[0-9,]* of the/some of the/" warnings'
try 'check words.uf 1 100'
try 'at_most words.uf plain.uf 60; at_most words.uf bloom.uf 47'

note "telephone numbers: members are in three areas, the others anywhere"
numbers() { awk -v n="$1" -v x="$2" -v areas="$3" 'BEGIN { for (i = 0; i < n; i++) {
    x = (x * 16807) % 2147483647; a = x; x = (x * 16807) % 2147483647
    printf "0%03d %07d\n", 100 + (areas ? a % areas * 37 : a % 800), x % 10000000 } }'; }
numbers 5000 1 3 >set
numbers 5000 2 0 >others
numbers 5000 3 0 >valid
numbers 5000 4 0 | sort -u >fresh
try 'ultrafilter build -q -o numbers.uf --kind partition -p 0.01 --children bloom --negatives others --valid valid set 2>/dev/null'
quietly ultrafilter build -o plain.uf --kind bloom -p 0.01 set
try 'check numbers.uf 1 100; at_most numbers.uf plain.uf 90'

note "addresses of pages"
pages() { awk -v n="$1" -v x="$2" -v kind="$3" 'BEGIN {
    split(kind == "shop" ? "com net shop cart order id" : "org edu wiki help page name", part, " ")
    for (i = 0; i < n; i++) {
        for (j = 1; j <= 4; j++) { x = (x * 16807) % 2147483647; r[j] = x }
        printf "https://www.%s%d.%s/%s/%s?%s=%d\n", part[3 + r[1] % 4], r[2] % 1000, part[1 + r[3] % 2], part[3 + r[3] % 4],
            part[4 + r[4] % 3], part[6], r[4] % 100000 } }'; }
pages 5000 1 shop >set
pages 5000 2 wiki >others
pages 5000 3 wiki >valid
pages 5000 4 wiki | sort -u >fresh
try 'ultrafilter build -q -o pages.uf --kind learned -p 0.01 --negatives others --valid valid set'
quietly ultrafilter build -o plain.uf --kind ribbon -p 0.01 set
try 'check pages.uf 1 100; at_most pages.uf plain.uf 95'
