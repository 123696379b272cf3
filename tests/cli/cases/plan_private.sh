# SPDX-License-Identifier: MIT
# plan --epsilon: the table, the JSON that scripts rely on, the figures of the whole grid, and mistakes.
try 'ultrafilter plan --epsilon 3 -n 1e6 --bits-per-key 8'
try 'ultrafilter plan --epsilon 1 -n 1000000'
try 'ultrafilter plan --epsilon 8 -n 1000 --bits-per-key 16 --universe-size 1e5'
try 'ultrafilter plan --epsilon 3 -n 1e6 --bits-per-key 0.5 --universe-size 1e6'
try 'ultrafilter plan --epsilon 2 -n 0'
try 'ultrafilter plan --epsilon 2 -n 1e6 --prefer accurate | grep -e dpset -e radix'

note "JSON"
try 'ultrafilter plan --json --epsilon 3 -n 1e6 --bits-per-key 8 --universe-size 2e6'
try 'ultrafilter plan --json --epsilon 3 -n 1e6 --bits-per-key 0.5 --universe-size 1e6 | json_keys | sort -u'

# grid EPSILON BITS: a line of the table of designs in docs/privacy.md.
grid() {
    ultrafilter plan --json --epsilon "$1" -n 67108864 --bits-per-key "$2" | awk -v cell="$1 $2" '
        function value() { sub(/^[^:]*: "?/, ""); sub(/"?,?$/, ""); return $0 }
        /"limit":/ { name = "limit" }
        /"mechanism":/ { name = value() }
        /"fpr":/ { fpr = value() }
        /"fnr":/ { fnr = value() }
        /"f1":/ { f1 = value() }
        /"bits_per_key":/ { used = value() }
        /"k":/ { k = value() }
        /"t":/ { t = value() }
        /"variant":/ { name = value() }
        /"universe":/ { name = name value() / 67108864 }
        /columns=/ { shape = value(); sub(/.*columns=/, "", shape); sub(/,slack.*/, "", shape); sub("accept=", "", shape) }
        /^ *},?$/ && !(name in of) {
            of[name] = sprintf("%.5f %.4f", fpr + fnr, f1)
            if (name == "ultra") of[name] = sprintf("%s,%s %.5f %.5f %s", k, t, fpr, fnr, of[name])
            if (name == "dyadic" || name == "integer") of[name] = sprintf("%s %s (%.2f)", shape, of[name], used)
            if (name ~ /dime/) of[name] = sprintf("%.4f %.4f (%s)", fpr + fnr, f1, k)
        }
        END {
            printf "%s | %s | limit %s | integer %s | dyadic %s | dime %s | %s | %s\n", cell, of["ultra"], of["limit"],
                of["integer"], of["dyadic"], of["dime2"], of["dime16"], of["dime1024"]
        }'
}

note "epsilon, bits per key | ultra: k,t FPR FNR sum F1 | sum and F1 of the others (bits per key or k)"
for epsilon in 1 2 3 4 5 8; do
    for bits in 8 16 32 64; do
        grid $epsilon $bits
    done
done

note "best first, and what has no promise behind all that has: sums, and epsilons"
for epsilon in 0.05 0.3 1 2.5 6 11 20; do
    ultrafilter plan --json --epsilon $epsilon -n 1e6 >json
    tail -n +8 json | awk '/"sum":/ { sums = sprintf("%s %.5g", sums, $2) } /"epsilon":/ { all = all " " $2 }
        END { print sums; gsub(/,/, "", all); print all }'
done

note "mistakes"
for epsilon in nan inf -inf -1 0 1e-9 0.049 20.5 25 1000 1e400 '""' abc 3x; do
    try "ultrafilter plan --epsilon $epsilon -n 1000"
done
try 'ultrafilter plan --epsilon 3'
try 'ultrafilter plan --epsilon 3 -n 1000 --prefer tiny'
try 'ultrafilter plan --epsilon 3 -n 1000 --prefer small --bits-per-key 8'
try 'ultrafilter plan -n 1000 --prefer small'
try 'echo a | ultrafilter publish -o p.uf --epsilon 3 --capacity 10 --mechanism ultra --prefer small'
try 'echo a | ultrafilter build -o p.uf --kind bloom -n 10 --prefer small'
try 'echo a | ultrafilter build -o p.uf --spec dpset:n=10,epsilon=3 --prefer small | cut -c 1-20'
try 'ultrafilter plan --epsilon'
try 'ultrafilter plan --universe-size 1000 -n 10'
try 'ultrafilter plan --epsilon 3 -n 1.5'
try 'ultrafilter plan --epsilon 3 -n 1e17'
try 'ultrafilter plan --epsilon 3 -n 1e13'
try 'ultrafilter plan --epsilon 3 -n -5'
try 'ultrafilter plan --epsilon 3 -n 1000 --bits-per-key 0'
try 'ultrafilter plan --epsilon 3 -n 1e12 --bits-per-key 1e9'
try 'ultrafilter plan --epsilon 3 -n 10 --bits-per-key 0.01'
try 'ultrafilter plan --epsilon 3 -n 1000 --universe-size 0'
try 'ultrafilter plan --epsilon 3 -n 1000 --universe-size 999'
try 'ultrafilter plan --epsilon 3 -n 1000 -p 0.01'
try 'ultrafilter plan --epsilon 3 -n 1000 --bits 8000'
try 'ultrafilter plan --epsilon 3 -n 1000 --kind bloom'
