# SPDX-License-Identifier: MIT
# Keys are added in place; a filter that cannot grow says so; one that grows too full is a warning.
seq 1000 >first
seq 1001 1500 >second

note "kinds that grow"
for kind in blocked bloom dcso; do
    build f.uf "$(seeded "$kind" 2000 1e-6)" <first
    try "ultrafilter insert f.uf second # $kind"
    try 'cat first second | ultrafilter query -c f.uf'
    try 'seq 1501 2500 | ultrafilter query -c f.uf'
    cat first second | build whole.uf "$(seeded "$kind" 2000 1e-6)"
    try 'cmp f.uf whole.uf'
done

note "forms of input and output"
build f.uf "$(seeded bloom 2000 1e-6)" <first
try 'cp f.uf g.uf; ultrafilter insert g.uf <second && ultrafilter insert -q g.uf - <second'
try 'cp f.uf g.uf; printf "a\nb\0c" | ultrafilter insert -0 g.uf; printf "a\nb\0" | ultrafilter query -0 -c g.uf'
try 'cp f.uf g.uf; ultrafilter insert --json g.uf second'
try 'cp f.uf g.uf; echo one | ultrafilter insert g.uf'
try 'cp f.uf g.uf; ultrafilter insert g.uf /dev/null && cmp f.uf g.uf'
try 'cp f.uf g.uf; ultrafilter insert g.uf first && cmp f.uf g.uf'
try 'cp f.uf g.uf; chmod 640 g.uf; ultrafilter insert -q g.uf second; ls -l g.uf | cut -c1-10'

note "a filter that is built once"
build r.uf "$(seeded ribbon 1000 0.01)" <first
cp r.uf copy
try 'ultrafilter insert r.uf second'
try 'ultrafilter insert r.uf /dev/null'
try 'cmp r.uf copy'

note "past the capacity"
for kind in blocked bloom dcso; do
    build f.uf "$(seeded "$kind" 1000 0.01)" <first
    try "ultrafilter insert f.uf second # $kind"
    try 'ultrafilter insert -q f.uf second'
    try 'ultrafilter insert --json f.uf second 2>&1 >/dev/null | wc -l'
    try 'cat first second | ultrafilter query -c f.uf'
done
try 'seq 100000 | ultrafilter insert f.uf'

note "mistakes"
try 'ultrafilter insert'
try 'ultrafilter insert missing.uf first'
try 'ultrafilter insert f.uf missing.txt'
try 'ultrafilter insert --format dcso f.uf first'
try 'ultrafilter insert -j 2 f.uf first'
