# SPDX-License-Identifier: MIT
# make demo works, and shows what it says: all words found, one stranger in a hundred, an error for a damaged file, less room
# with a model.
for list in british-english-huge american-english french; do
    [ -r /usr/share/dict/$list ] || skip "the word list $list is not installed"
done
quietly "$SOURCE/examples/demo.sh" "$PROGRAM"
cp "$TMPDIR/quiet" shown
words=$(wc -l </usr/share/dict/british-english-huge)
grep -q "^$words$" shown && echo "every word is found"
grep '^[0-9]*\. ' shown | sed 's/[0-9][0-9][0-9]*/N/g'
grep 'query bad.uf' -A 2 shown | sed 's/bytes [0-9]* to [0-9]*/bytes N to N/'
size() { sed -n "s/^$1  [a-z]*  \([0-9]*\).*KiB.*/\1/p" shown; }
[ $(($(size learned.uf) * 3)) -lt "$(size plain.uf)" ] && echo "less than a third of the room"
found=$(grep -A 1 '^\$ .*query -c learned.uf /usr' shown | tail -n 1)
[ "$found" -eq "$(wc -l </usr/share/dict/american-english)" ] && echo "no member is missed"
