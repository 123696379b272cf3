# SPDX-License-Identifier: MIT
# Keys as people have them: with carriage returns and marks, in columns, in other codings, in several files.
printf 'alice\nbob\ncarol\n' >plain
sed 's/$/\r/' plain >crlf
{ printf '\357\273\277' && cat plain; } >marked
quietly ultrafilter build -o plain.uf --spec "$(seeded blocked 3 1e-6)" plain

note "carriage returns and byte order marks are no part of a key, and it is said"
try 'ultrafilter build -q -o a.uf --spec "$(seeded blocked 3 1e-6)" crlf && cmp a.uf plain.uf'
try 'ultrafilter build -q -o a.uf --spec "$(seeded blocked 3 1e-6)" marked && cmp a.uf plain.uf'
try 'ultrafilter query plain.uf crlf | od -c | head -n 1'
try 'ultrafilter query -c plain.uf crlf marked'
try 'ultrafilter query -c --crlf strip --bom strip plain.uf crlf marked'
try 'ultrafilter query -c --crlf keep --bom keep plain.uf crlf marked'
try 'printf "alice\r" | ultrafilter query --crlf strip plain.uf'
try 'tr "\n" "\0" <crlf | ultrafilter query -0 -c plain.uf'
note "who kept them is asked with them"
try 'ultrafilter build -q -o kept.uf -p 1e-6 --crlf keep crlf'
try 'ultrafilter query -c kept.uf crlf'
try 'ultrafilter query -c kept.uf plain'
try 'ultrafilter build -q -o kept.uf -p 1e-6 --raw crlf marked && ultrafilter query -c kept.uf crlf marked'

note "columns"
cat >people.csv <<'CSV'
name,mail,note
Alice,alice@example.org,"likes ""quotes"", commas"

"Bob, Jr.","bob@example.org","two
lines"
Carol,"carol@example.org",5" disk
CSV
tr ',' ';' <people.csv | sed 's/$/\r/' >people.ssv
try 'ultrafilter build -o mail.uf -p 1e-6 --column mail people.csv'
try 'printf "%s\n" alice@example.org bob@example.org carol@example.org mail | ultrafilter query mail.uf'
try 'ultrafilter query --column mail mail.uf people.csv'
try 'ultrafilter query --field 2 -v mail.uf people.csv'
try 'ultrafilter query -c --column mail --delimiter ";" --crlf strip mail.uf people.ssv'
try 'ultrafilter query -c --field 2 --delimiter tab mail.uf <<X
a	bob@example.org
b	nobody
X'
try 'ultrafilter build -q -o note.uf -p 1e-6 --field 3 people.csv && printf "likes \"quotes\", commas\0two\nlines\0005\" disk\0" | ultrafilter query -0 -c note.uf'
try 'ultrafilter query -c --column phone mail.uf people.csv'
try 'ultrafilter query -c --field 4 mail.uf people.csv'
try 'printf "a,b\nc\n" | ultrafilter query -c --field 2 mail.uf'
try 'printf "a,b\n\"c,d\ne,f\n" | ultrafilter query -c --field 2 mail.uf'
try 'printf "a,\"b\"c\n" | ultrafilter query -c --field 2 mail.uf'
try 'ultrafilter query -c --delimiter ";" mail.uf people.csv'
try 'ultrafilter query -c --field 2 --delimiter ";;" mail.uf people.csv'
try 'ultrafilter query -c --field 2 --column mail mail.uf people.csv'
try 'ultrafilter query -c --field 0 mail.uf people.csv'

note "quoted lines across blocks, by several threads, are what they are one by one"
awk 'BEGIN {
    ORS = ""
    for (long = "long, "; length(long) < 300000;) long = long long
    for (i = 0; i < 30000; i++) {
        key = "key" i (i % 3 ? "" : "\nof, \"two\" lines") (i % 9999 ? "" : long)
        print key "\001" >"keys1"
        gsub(/"/, "\"\"", key)
        print i ",\"" key "\",x\n" >"keys.csv"
    }
}'
tr '\001' '\000' <keys1 >keys0
for threads in 1 5; do
    quietly ultrafilter build -j $threads -o $threads.uf --spec "$(seeded bloom 30000 0.01)" --field 2 keys.csv
done
quietly ultrafilter build -o 0.uf --spec "$(seeded bloom 30000 0.01)" -0 keys0
try 'cmp 0.uf 1.uf && cmp 0.uf 5.uf'
try 'ultrafilter query --field 2 0.uf keys.csv | cmp - keys.csv'

note "codings"
printf '616c696365\n626F62\n6361726f6c\n' >hex
printf 'YWxpY2U=\nYm9i\nY2Fyb2w\n' >base64
printf 'alicecarol' >binary
try 'ultrafilter query --hex plain.uf hex'
try 'ultrafilter query --base64 plain.uf base64'
try 'ultrafilter query --binary 5 plain.uf binary'
try 'ultrafilter build -q -o a.uf --spec "$(seeded blocked 3 1e-6)" --hex hex && cmp a.uf plain.uf'
try 'ultrafilter query --hex plain.uf base64'
try 'printf "00\n0\n" | ultrafilter query --hex plain.uf'
try 'ultrafilter query --base64 plain.uf hex'
try 'printf "YR==\n" | ultrafilter query --base64 plain.uf'
try 'ultrafilter query --binary 4 plain.uf binary'
try 'ultrafilter query --binary 0 plain.uf binary'
try 'ultrafilter query --hex --base64 plain.uf hex'
try 'ultrafilter query --binary 4 -0 plain.uf hex'

note "what is done to keys is in the file"
printf ' Alice\nBOB \n\tcarol\n' >shouted
try 'ultrafilter build -q -o low.uf -p 1e-6 --lowercase --trim shouted && ultrafilter query low.uf plain'
try 'printf "ALICE\n  bob\n" | ultrafilter query low.uf'
try 'ultrafilter info low.uf | grep -i normal; ultrafilter info --json low.uf | grep -A 3 normal'
try 'printf " DAVE " | ultrafilter insert -q low.uf && echo dave | ultrafilter query low.uf'
try 'ultrafilter merge -o m.uf low.uf plain.uf'
try 'ultrafilter build -q -o other.uf --like low.uf plain && ultrafilter merge -q -o m.uf low.uf other.uf && echo DAVE | ultrafilter query m.uf'
try 'ultrafilter rebuild -q -o new.uf --like low.uf shouted && ultrafilter query -c new.uf plain'
try 'ultrafilter build -o other.uf --like low.uf --trim plain'
try 'ultrafilter build -o a.bloom --format dcso --lowercase shouted'
try 'ultrafilter publish -q -o p.uf --epsilon 20 -n 100 --lowercase --trim shouted && ultrafilter query -c p.uf plain'

note "several files, and each ends its last key"
printf 'one' >a1
printf 'two\n' >a2
: >a3
printf 'three' >a4
try 'ultrafilter build -q -o n.uf -p 1e-6 a1 a2 a3 a4 && ultrafilter query n.uf a4 a3 a2 a1 plain'
try 'printf five | ultrafilter insert n.uf a1 - plain | sed "s/FPR.*now/FPR now/"'
try 'ultrafilter build -q -o o.uf -p 1e-6 - a1 <plain && ultrafilter query -c o.uf a1 plain'
try 'ultrafilter query -c n.uf a1 missing plain'
try 'ultrafilter query -c n.uf - a1 - </dev/null'

note "numbers as people write them"
for number in 2k 2K 1.5Ki 1M 1Mi 1e3k 5m 1kk 1% 0x10 0; do
    try "ultrafilter build -q -o s.uf -n $number -p 1% plain && ultrafilter info s.uf | sed -n 's/.*n=\([0-9]*\),.*/\1/p'"
done

note "nothing in it"
: >nothing
try 'ultrafilter build -o e.uf nothing'
try 'ultrafilter build -o e.uf --kind ribbon </dev/null'
try 'ultrafilter build -o e.uf -n 100 -p 1% nothing'
try 'ultrafilter plan -n 0 -p 1%'

note "what is no list is not taken for one"
quietly ultrafilter keygen -o secret.key
printf 'PK\003\004stuff' >list.zip
printf '\377\376a\0\n\0' >utf16.txt
printf 'SQLite format 3\0' >list.db
for file in plain.uf secret.key list.zip utf16.txt list.db; do
    try "ultrafilter build -o n.uf $file"
done
try 'ultrafilter build -q -o n.uf -n 10 --raw list.zip && ultrafilter query --raw -c n.uf list.zip'
try 'ultrafilter build -q -o n.uf --binary 3 list.zip && ultrafilter query -c --binary 3 n.uf list.zip'

note "a terminal is told that it is waited for"
needs script
try 'printf "alice\n\004" | script -qec "ultrafilter query plain.uf" /dev/null | tr -d "\r" | grep -o "reading.*"'
