# SPDX-License-Identifier: MIT
# Both directions against DCSO's own program, of Debian's golang-github-dcso-bloom-cli: equal files, equal answers.
needs bloom
seq 1000 >keys
seq 1001 6000 >others

note "the same keys and numbers give the same file"
for numbers in '1000 0.01' '5000 0.001' '1000 0.3' '1 0.5' '100000 1e-7'; do
    n=${numbers% *} p=${numbers#* }
    rm -f theirs
    bloom create -n "$n" -p "$p" theirs
    bloom insert theirs <keys
    quietly ultrafilter build --format dcso -o ours -n "$n" -p "$p" keys
    cmp theirs ours && echo "n=$n p=$p: equal"
done

note "their file, our query"
rm -f theirs
bloom create -n 1000 -p 0.01 theirs
bloom insert theirs <keys
try 'ultrafilter query -c theirs keys'
bloom check theirs <others >their-answers
try 'ultrafilter query theirs others | cmp - their-answers'

note "our file, their check"
try 'ultrafilter build --format dcso -o ours -p 0.01 keys'
try 'bloom check ours <keys | cmp - keys'
ultrafilter query ours others >our-answers
try 'bloom check ours <others | cmp - our-answers'
try 'bloom show ours | sed 1d'

note "keys that are not plain text: the empty one, a long one, bytes"
{
    printf '\nfo o\n\303\244\n\377\376\n'
    awk 'BEGIN { for (i = 0; i < 5000; i++) printf "long"; print "" }'
} >odd
rm -f theirs
bloom create -n 100 -p 0.001 theirs
bloom insert theirs <odd
try 'ultrafilter query -c theirs odd'
quietly ultrafilter build --format dcso -o ours -n 100 -p 0.001 odd
try 'bloom check ours <odd | cmp - odd'
try 'cmp ours theirs'

note "insert into theirs, and they into ours"
rm -f theirs
bloom create -n 6000 -p 0.01 theirs
bloom insert theirs <keys
cp theirs both
try 'ultrafilter insert theirs others'
bloom insert both <others
try 'cmp theirs both'

note "join"
for name in a b; do
    rm -f $name
    bloom create -n 6000 -p 0.01 $name
done
bloom insert a <keys
bloom insert b <others
cp a joined
bloom join joined b
try 'ultrafilter merge --format dcso -o merged a b'
try 'cmp joined merged'
try 'cat keys others | ultrafilter query -c merged'

note "data that they attached stays"
echo 'made on Monday' | bloom set-data theirs
try 'ultrafilter query -c theirs keys'
try 'echo one more | ultrafilter insert -q theirs; bloom get-data theirs; bloom show theirs | grep Elements'
try 'ultrafilter merge --format dcso -q -o copy theirs && cmp theirs copy'
try 'ultrafilter merge -o new.uf theirs'

note "moving over"
rm -f theirs
bloom create -n 1000 -p 0.01 theirs
bloom insert theirs <keys
try 'ultrafilter merge -o new.uf theirs'
try 'ultrafilter query -c new.uf keys'
try 'ultrafilter query new.uf others | cmp - their-answers'
try 'ultrafilter merge --out-format dcso -q -o back new.uf && cmp theirs back'
try 'ultrafilter info --format dcso theirs | grep -e Kind -e Spec -e Keys'
try 'ultrafilter build -q --format dcso --like theirs -o twin others && ultrafilter merge --format dcso -q -o u theirs twin'
try 'ultrafilter build -q --kind dcso -p 0.01 -o new2.uf keys && cmp new.uf new2.uf'

note "the format is found, packed or not"
try 'ultrafilter query -c theirs keys'
try 'ultrafilter query -c new.uf keys'
bloom --gzip create -n 1000 packed
bloom --gzip insert packed <keys
try 'ultrafilter query -c packed keys'
try 'gunzip -c packed >unpacked; ultrafilter query -c unpacked keys'

note "carriage returns and byte order marks as they take them"
printf 'alice\r\nbob\n' >crlf
{ printf '\357\273\277' && cat keys; } >marked
for list in crlf marked; do
    rm -f theirs
    bloom create -n 1000 -p 0.01 theirs
    bloom insert theirs <$list
    try "ultrafilter build -q -o ours --format dcso -n 1000 -p 0.01 $list && cmp ours theirs"
    try "ultrafilter query -c theirs $list"
done
