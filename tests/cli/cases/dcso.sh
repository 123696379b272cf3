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

note "data is shown, and printed byte for byte"
bloom create -n 1000 -p 0.01 bare
bloom insert bare <keys
cp bare with
printf 'no text: \000\001\377\r\n\n' >bytes
cat bytes >>with
try 'ultrafilter info with | grep Attached'
try 'ultrafilter info --json with | grep attached'
try 'ultrafilter info --data with | cmp - bytes'
try 'ultrafilter info --data theirs'
try 'ultrafilter info bare | grep Attached'
try 'ultrafilter info --data bare'
try 'ultrafilter info --data --json with'
try 'ultrafilter info --data with >/dev/full'

note "kept or dropped"
try 'ultrafilter merge --format dcso --data keep -q -o copy with && cmp with copy'
try 'ultrafilter merge --format dcso --data drop -q -o copy with && cmp bare copy'
try 'ultrafilter merge -q -o plain.uf bare && ultrafilter merge -q -o new.uf with && cmp plain.uf new.uf'
try 'ultrafilter merge --data drop -q -o new.uf with && cmp plain.uf new.uf'
rm new.uf
try 'ultrafilter merge --data keep -q -o new.uf with; ls new.uf'
try 'cp with copy && ultrafilter insert -q --data drop copy keys && cmp bare copy'
try 'cp with copy && ultrafilter insert -q --format uf copy keys && cmp plain.uf copy'
try 'cp with copy && ultrafilter insert -q --data keep --format uf copy keys; cmp with copy'

note "of several, the data of the first, as they join"
printf 'of a' | bloom set-data a
printf 'of b' | bloom set-data b
cp a joined
bloom join joined b
try 'ultrafilter merge --format dcso -q -o merged a b && cmp joined merged'
try 'ultrafilter merge --format dcso -q -o merged a a && ultrafilter info --data merged'
try 'ultrafilter merge --format dcso -q --data drop -o merged a b && ultrafilter info --data merged'
try 'ultrafilter merge --format dcso -q --data drop -o nodata a && ultrafilter merge --format dcso -q -o merged nodata b'
try 'ultrafilter merge -q -o merged.uf a b'
try 'ultrafilter merge -q --data keep -o kept.uf nodata b'

note "the file at fault is named"
head -c 100 b >cut.bloom
head -c 40 a >short.bloom
try 'ultrafilter merge --format dcso -o merged a cut.bloom'
try 'ultrafilter merge --format dcso -o merged short.bloom a'
try 'ultrafilter merge --format dcso -o merged a bare'
try 'ultrafilter merge --format dcso -o merged a missing'

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
