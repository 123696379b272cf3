# SPDX-License-Identifier: MIT
# make demo works, and shows what it says: all words found, one stranger in a hundred, an error for a damaged file.
for list in british-english-huge american-english; do
    [ -r /usr/share/dict/$list ] || skip "the word list $list is not installed"
done
quietly "$SOURCE/examples/demo.sh" "$PROGRAM"
cp "$TMPDIR/quiet" shown
words=$(wc -l </usr/share/dict/british-english-huge)
grep -q "^$words$" shown && echo "every word is found"
grep '^[0-9]*\. ' shown | sed 's/[0-9][0-9][0-9]*/N/g'
grep 'query bad.uf' -A 2 shown | sed 's/bytes [0-9]* to [0-9]*/bytes N to N/'
