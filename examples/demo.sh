#!/bin/sh
# SPDX-License-Identifier: MIT
# make demo: the main job on real data, in a folder of its own that is removed afterwards.
# usage: examples/demo.sh PATH/TO/ultrafilter
set -eu
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
set_file=/usr/share/dict/british-english-huge # Debian package wbritish-huge
other_file=/usr/share/dict/american-english   # Debian package wamerican
french_file=/usr/share/dict/french            # Debian package wfrench
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
cp "$set_file" words.txt
sort -u "$set_file" >sorted
sort -u "$other_file" | comm -23 - sorted >american-only.txt
awk '{ print $0 "#" NR % 10 }' sorted >never.txt
sort -u "$other_file" >american
sort -u "$french_file" | comm -23 - american | awk '{ print >"french" NR % 3 + 1 ".txt" }'

# Shows a command as a user would type it, then runs it.
run() {
    printf '\n$ %s\n' "$(printf '%s' "$*" | sed "s|$program|ultrafilter|g")"
    sh -c "$*" 2>&1
}
say() { printf '\n\033[1m%s\033[0m\n' "$*"; }
[ -z "${NO_COLOR:-}" ] && [ -t 1 ] || say() { printf '\n%s\n' "$*"; }

say "1. A list of $(wc -l <words.txt) words becomes a small file that can be asked about any word."
run "$program build -o words.uf -p 0.01 words.txt"
run "ls -l words.txt words.uf | awk '{ print \$5, \$9 }'"

say "2. Ask. Words that are in it are printed, like grep does; the exit status tells too."
run "printf 'privacy\npr1vacy\nfilter\nfiltre\nzyzzyva\n' | $program query words.uf"

say "3. Nothing that is in the set is ever missed: every word is found."
run "$program query -c words.uf words.txt"

say "4. The price: about 1 in 100 of other keys is accepted too. These $(wc -l <never.txt) are no words at all:"
run "$program query -c words.uf never.txt"

say "5. A real question: which American words does the British list lack? It can miss 1 %, never invent one."
run "wc -l <american-only.txt"
run "$program query -v -c words.uf $other_file"

say "6. A set that does not change fits into a third less, and designs can be compared before building."
run "$program plan -n $(wc -l <words.txt) -p 0.01"

say "7. A damaged file gives an error, never an answer."
run "cp words.uf bad.uf; printf X | dd of=bad.uf bs=1 seek=200000 conv=notrunc status=none"
run "echo privacy | $program query bad.uf || echo exit status \$?"

say "8. A sensitive list: this file may be handed out. It hides whether any one word is in it, at the best accuracy possible."
run "$program publish -o private.uf --epsilon 3 --capacity 400000 words.txt"
run "$program query -c private.uf words.txt; $program query -c private.uf never.txt"

say "9. Where other keys look different, a model saves most of the room. Here these are French words:"
run "$program build -o plain.uf --kind ribbon -p 0.01 $other_file"
run "$program build -o learned.uf --kind partition -p 0.01 --negatives french1.txt --valid french2.txt $other_file"

say "10. All members are still found, and about 1 % of French words it has never seen. This holds for French words only: of keys that look English, it takes most for members."
run "$program query -c learned.uf $other_file"
run "wc -l <french3.txt; $program query -c learned.uf french3.txt"
run "wc -l <never.txt; $program query -c learned.uf never.txt"

say "Next: ultrafilter --help, man pages in build/, docs/kinds.md for which kind to use, docs/privacy.md for what is promised."
