# SPDX-License-Identifier: MIT
# Names, comments and dates that the maker of a file puts into it.
seq 100 >keys
known_key key 1
spec=bloom:n=200,fpr=0.01,seed=0x5eed

note "put in, shown, and kept"
try "ultrafilter build -q -o f.uf --spec $spec --name 'deny list' --comment 'from three feeds, März' --date 2026-11-15 keys"
try 'ultrafilter info f.uf | grep -E "Name|Comment|Date"'
try 'echo more | ultrafilter insert -q f.uf && ultrafilter info --json f.uf | jq -c "[.name, .comment, .date]"'
try 'ultrafilter merge -q -o copy.uf f.uf && cmp copy.uf f.uf && echo the same'
try 'ultrafilter merge -q -o copy.uf --comment "" --date 2026-11-16T01:02:03Z f.uf && ultrafilter info copy.uf | grep -E "Name|Comment|Date"'
try 'ultrafilter merge -q -o both.uf f.uf copy.uf && ultrafilter info both.uf | grep -E "Name|Comment|Date"'
try "SOURCE_DATE_EPOCH=86400 ultrafilter build -q -o now.uf --spec $spec --date now keys && ultrafilter info now.uf | grep Date"

note "signed with the rest"
try 'ultrafilter sign -q --key-file key f.uf && ultrafilter merge -q -o f.uf --name other f.uf --overwrite; ultrafilter verify --key-file key f.uf'

note "nothing is put into a file unasked"
try "ultrafilter build -q -o plain.uf --spec $spec keys && ultrafilter info plain.uf | grep -E 'Name|Comment|Date'"
try 'ultrafilter publish -q -o p.uf --epsilon 3 --capacity 1000 keys && ultrafilter info --json p.uf | jq -c "[.name, .comment, .date]"'
try 'ultrafilter publish -q -o p.uf --epsilon 3 --capacity 1000 --name spring keys && ultrafilter info p.uf | grep Name'

note "what cannot be"
try "ultrafilter build -o no.uf --spec $spec --date 2026-02-30 keys; ultrafilter build -o no.uf --spec $spec --date today keys; SOURCE_DATE_EPOCH=x ultrafilter build -o no.uf --spec $spec --date now keys; ls no.uf"
try "ultrafilter build -o no.uf --spec $spec --name \"\$(printf 'a\\033[31m')\" keys; ls no.uf"
try "ultrafilter build -o no.uf --spec $spec --comment \"\$(seq 100)\" keys; ls no.uf"
try "ultrafilter build -o no.bloom --format dcso --name list keys; ls no.bloom"
