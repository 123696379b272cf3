# SPDX-License-Identifier: MIT
# Compressed lists and filters: recognised by what is in them, unpacked on the way, and never taken for keys.
for tool in gzip xz zstd bzip2; do needs $tool; done
lines=40000
seq $lines >list
quietly ultrafilter build -o plain.uf --spec "$(seeded blocked $lines 0.01)" list

for tool in gzip xz zstd bzip2; do
    note $tool
    $tool -1 -q -c <list >packed
    try 'ultrafilter build -q -j 4 -o a.uf --spec "$(seeded blocked $lines 0.01)" packed && cmp a.uf plain.uf'
    try 'ultrafilter build -q -o b.uf packed && ultrafilter query -c b.uf list'
    try 'ultrafilter query plain.uf packed | cmp - list'
    try 'cat packed | ultrafilter query -c plain.uf'
    try 'cat packed packed list | ultrafilter query -c plain.uf' # the list at the end is no member
    try 'cat packed packed >both; ultrafilter query -c plain.uf both list packed'
    try 'ultrafilter query -q plain.uf packed'
    try 'head -c 4000 packed | ultrafilter build -o c.uf; head -c 11 packed >cut; ultrafilter query -c plain.uf cut'
    try '{ head -c 3000 packed && printf "broken here" && tail -c +3012 packed; } >broken; ultrafilter build -o c.uf broken'
    try "$tool -q -c <plain.uf >filter; ultrafilter query -c filter list; cat filter | ultrafilter info - | grep Kind"
    try 'ultrafilter merge -q -o d.uf filter plain.uf && cmp d.uf plain.uf'
    try 'ultrafilter query -c --mmap filter list; ultrafilter insert filter list'
    try ": | $tool -q -c | ultrafilter query -c plain.uf"
    try "printf 'PK\\003\\004' | $tool -q -c | ultrafilter query -c plain.uf"
    try "$tool -q -c <packed >twice; ultrafilter query -c plain.uf twice"
done
test ! -e c.uf

note "zeros that fill up a file"
{ gzip -c list && head -c 512 /dev/zero; } >padded
try 'ultrafilter query -c plain.uf padded'

note "a filter of DCSO's in gzip, and a column of a table"
quietly ultrafilter build -o other.bloom --format dcso -n 1000 list
gzip other.bloom
try 'ultrafilter query -c other.bloom.gz list'
printf 'id,name\n1,"alice"\n' | gzip >table.gz
try 'echo alice | ultrafilter build -q -o t.uf && ultrafilter query --column name t.uf table.gz'

tr '\n' ' ' <list | gzip -1 | head -c 4000 >cut
try 'ultrafilter query --column name t.uf cut' # in its first line: nothing is looked for in half a line

note "who wants the bytes gets them"
try 'ultrafilter build -q -o raw.uf --raw -n 1000 table.gz && ultrafilter query --raw -q raw.uf table.gz'

note "one byte, many times: not a key of any size"
not_sanitized
head -c 70000000 /dev/zero | gzip -1 >bomb
try '(ulimit -v 1500000 && ultrafilter build -n 10 -o z.uf bomb)'
