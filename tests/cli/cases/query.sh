# SPDX-License-Identifier: MIT
# Exit statuses as grep's: 0 found, 1 none, 2 error. Keys are bytes: what ends them, and nothing else, is cut off.
# A rate of 1e-9 keeps false positives out of the way.
printf 'alice\nbob\ncarol\n' >members
build f.uf "$(seeded blocked 100 1e-9)" <members

note "found, none, both"
try 'ultrafilter query f.uf members'
try 'printf "bob\nmallory\n" | ultrafilter query f.uf'
try 'printf "bob\nmallory\n" | ultrafilter query f.uf -'
try 'echo mallory | ultrafilter query f.uf'

note "-q"
try 'ultrafilter query -q f.uf members'
try 'echo mallory | ultrafilter query -q f.uf'
try 'echo mallory | ultrafilter query -qv f.uf'
try 'ultrafilter query -q -v f.uf members'
try 'yes bob | ultrafilter query -q f.uf'
try 'ultrafilter query -q -c f.uf members'
try 'ultrafilter query --quiet --json f.uf members'

note "-v"
try 'printf "bob\nmallory\neve\n" | ultrafilter query -v f.uf'
try 'ultrafilter query -v f.uf members'

note "-c"
try 'printf "bob\nmallory\neve\n" | ultrafilter query -c f.uf'
try 'printf "bob\nmallory\neve\n" | ultrafilter query -c -v f.uf'
try 'echo mallory | ultrafilter query --count f.uf'
try 'ultrafilter query -cv f.uf members'

note "--json: the same counts, with or without -c"
try 'printf "bob\nmallory\neve\n" | ultrafilter query -c --json f.uf'
try 'printf "bob\nmallory\neve\n" | ultrafilter query --json f.uf'
try 'echo mallory | ultrafilter query -c --json f.uf'

note "empty input, and an empty key, which is a key"
try 'ultrafilter query f.uf </dev/null'
try 'ultrafilter query -c f.uf </dev/null'
try 'ultrafilter query -v f.uf </dev/null'
try 'ultrafilter query -c --json f.uf </dev/null'
try 'echo | ultrafilter query -c --json f.uf'
printf 'alice\n\nbob\n' >with-empty
build e.uf "$(seeded blocked 100 1e-9)" <with-empty
try 'echo | ultrafilter query -c e.uf'
try 'printf "\n\n\n" | ultrafilter query e.uf | wc -l'

note "a last key without a newline"
try 'printf "mallory\nbob" | ultrafilter query f.uf'
try 'printf bob | ultrafilter query -c f.uf'
try 'printf "alice\nbob" | ultrafilter build -q -o n.uf --kind bloom -p 1e-9'
try 'ultrafilter query n.uf members'

note "CR is part of the key"
try 'printf "bob\r\n" | ultrafilter query f.uf'
try 'printf "bob\r\n" | ultrafilter build -q -o crlf.uf -p 1e-9'
try 'ultrafilter query crlf.uf members'
try 'printf "bob\r\nalice\r\n" | ultrafilter query crlf.uf | od -An -c'

note "-0: keys with newlines, NUL at the end of each"
try 'printf "a\nb\0bob\0" | ultrafilter build -q -0 -o z.uf -p 1e-9'
try 'printf "a\nb\0c\0bob\0" | ultrafilter query -0 z.uf | od -An -c'
try 'printf "a\nb" | ultrafilter query --null -c z.uf'
try 'printf "a\nb\n" | ultrafilter query -c z.uf'
try 'ultrafilter query -0 -c z.uf members'

note "keys with NUL inside, and bytes that are no text"
try 'printf "a\0b\n\377\376\n" | ultrafilter build -q -o nul.uf -p 1e-9'
try 'printf "a\na\0c\na\0b\n\377\n\377\376\n" | ultrafilter query nul.uf | od -An -c'

note "a long key, longer than the blocks that are read"
awk 'BEGIN { for (i = 0; i < 300000; i++) printf "%06d", i; print "" }' >long
try 'cat long members long | ultrafilter build -q -o long.uf -p 1e-9'
try 'cat members long | ultrafilter query long.uf | cksum; cat members long | cksum'
try 'tr 9 8 <long | ultrafilter query -c long.uf'

note "the keys cannot be read"
try 'ultrafilter query f.uf missing.txt'
try 'ultrafilter query f.uf .'
try 'ultrafilter query f.uf <&-'
try 'ultrafilter query f.uf members members'
try 'ultrafilter query'

note "other ways to the same answers"
for kind in $kinds; do
    build k.uf "$(seeded "$kind" 100 1e-9)" <members
    try "printf 'bob\nmallory\n' | ultrafilter query --mmap k.uf # $kind"
    try 'printf "bob\nmallory\n" | ultrafilter query --early-exit k.uf'
    try 'printf "bob\nmallory\n" | ultrafilter query -j 1 k.uf'
done
try 'ultrafilter query -j 0 f.uf members'
try 'ultrafilter query -j 257 f.uf members'
try 'ultrafilter query -j 1.5 f.uf members'
try 'ultrafilter query -- f.uf members'
try 'ultrafilter query f.uf members -c'
