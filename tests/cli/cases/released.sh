# SPDX-License-Identifier: MIT
# Filters of released sets: what is shown of them, what is kept back, what they refuse.
cp "$SOURCE/tests/golden/dime.uf" "$SOURCE/tests/golden/nickel.uf" .
for file in dime nickel; do
    try "ultrafilter info $file.uf"
    try "ultrafilter info --json $file.uf"
    ultrafilter info --json $file.uf | grep -e count_estimate -e fill -e fpr_now && echo "$file tells how full it is"
done
seq 0 99 | sed 's/^/key-/' >members
try 'ultrafilter query -c dime.uf members'
try 'ultrafilter query -c nickel.uf members'

note "refused, and the file stays as it is"
for file in dime nickel; do
    try "echo x | ultrafilter insert $file.uf"
    try "ultrafilter insert $file.uf /dev/null"
    try "ultrafilter merge -o both.uf $file.uf $file.uf"
    try "ultrafilter publish -o copy.uf --epsilon 1 $file.uf"
    cmp "$file.uf" "$SOURCE/tests/golden/$file.uf"
done
files_in .

note "a mark that was damaged"
put dime.uf 68 '\002'
try 'ultrafilter info dime.uf'
