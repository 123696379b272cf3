# SPDX-License-Identifier: MIT
# Keys are taken out in place by the kinds that can; what is refused is counted and shows in the exit status.
seq 1000 >keys
seq 400 >left
seq 401 1000 >stayed
removing='counting deletable tombstone'

note "a part of the keys"
for kind in $removing; do
    build f.uf "$(seeded "$kind" 1000 1e-4)" <keys
    try "ultrafilter remove f.uf left # $kind"
    try 'ultrafilter query -c f.uf stayed'
    try 'ultrafilter query -c f.uf left'
    try 'seq 1001 3000 | ultrafilter query -c f.uf'
    try 'ultrafilter info f.uf'
done

note "all of them, and some that were never there"
for kind in $removing; do
    build f.uf "$(seeded "$kind" 1000 1e-4)" <keys
    try "seq 1 1010 | ultrafilter remove f.uf # $kind"
    try 'cp f.uf g.uf; seq 2000 2009 | ultrafilter remove g.uf; cmp f.uf g.uf'
done

note "a counting filter forgets: what is left is what would have been built"
build f.uf "$(seeded counting 1000 0.01)" <keys
build rest.uf "$(seeded counting 1000 0.01)" <stayed
try 'ultrafilter remove -q f.uf left && cmp f.uf rest.uf'

note "inserted twice, removed once, and inserted again"
for kind in $removing; do
    printf 'a\na\nb\n' | build f.uf "$(seeded "$kind" 100 1e-6)"
    try "echo a | ultrafilter remove f.uf # $kind"
    try 'printf "a\nb\n" | ultrafilter query f.uf'
    try 'printf "a\nc\n" | ultrafilter insert f.uf'
    try 'printf "a\nb\nc\n" | ultrafilter query f.uf'
done
try 'echo a | ultrafilter insert --json f.uf'

note "forms of input and output"
build f.uf "$(seeded counting 1000 1e-6)" <keys
try 'cp f.uf g.uf; ultrafilter remove g.uf <left && ultrafilter insert -q g.uf - <left && cmp f.uf g.uf'
try 'cp f.uf g.uf; printf "a\nb\0" | ultrafilter insert -q -0 g.uf; printf "a\nb\0c\0" | ultrafilter remove -0 g.uf'
try 'cp f.uf g.uf; ultrafilter remove --json g.uf left'
try 'cp f.uf g.uf; ultrafilter remove g.uf /dev/null && cmp f.uf g.uf'
try 'cp f.uf g.uf; ultrafilter remove -q g.uf /etc/hostname.missing; cmp f.uf g.uf'
try 'cp f.uf g.uf; chmod 640 g.uf; ultrafilter remove -q g.uf left; ls -l g.uf | cut -c1-10'
try 'files_in .'

note "figures for scripts"
for kind in $removing; do
    build f.uf "$(seeded "$kind" 1000 0.01)" <keys
    quietly ultrafilter insert f.uf keys
    try "ultrafilter info --json f.uf | sed -n '/count_estimate/,\$p' # $kind"
done

note "unions"
for kind in $removing; do
    printf 'a\nb\n' | build a.uf "$(seeded "$kind" 100 1e-6)"
    printf 'b\nc\n' | build b.uf "$(seeded "$kind" 100 1e-6)"
    echo c | quietly ultrafilter remove b.uf
    try "ultrafilter merge -o both.uf a.uf b.uf # $kind"
    try 'echo b | ultrafilter remove both.uf; printf "a\nb\nc\n" | ultrafilter query both.uf'
done

note "more than planned"
build f.uf tombstone:n=1000,fpr=0.01,removed=100,seed=0x5eed <keys
try 'ultrafilter remove f.uf left'
build f.uf "$(seeded tombstone 1000 0.01)" <keys
ultrafilter remove -q f.uf keys || :
try 'seq 2001 2500 | ultrafilter insert f.uf'

note "kinds that cannot"
for kind in blocked bloom ribbon dcso; do
    build f.uf "$(seeded "$kind" 1000 0.01)" <keys
    cp f.uf copy
    try "ultrafilter remove f.uf left # $kind"
    try 'ultrafilter remove f.uf /dev/null; cmp f.uf copy'
done

note "mistakes"
try 'ultrafilter remove'
try 'ultrafilter remove missing.uf left'
try 'ultrafilter remove f.uf missing.txt'
try 'ultrafilter remove f.uf keys left'
try 'ultrafilter remove --kind counting f.uf left'
try 'ultrafilter build -o g.uf --spec deletable:n=10,region=100 keys'
try 'ultrafilter build -o g.uf --spec tombstone:n=10,fnr=3 keys'
try 'ultrafilter build -o g.uf --spec counting:n=10,removed=3 keys'
try 'ultrafilter build -o g.uf --spec tombstone:n=1000,bits=8000,fpr=0.01 keys'

note "a keyed tombstone filter takes the removals it was planned for, and no more; others say what they do not promise"
known_key a.key 1
quietly ultrafilter build -o f.uf --key-file a.key --spec 'keyed(tombstone:n=1000,fpr=0.01,removed=100,fnr=0.01,seed=0x5eed)' keys
try 'head -100 left | ultrafilter remove --key-file a.key f.uf'
try 'ultrafilter remove --key-file a.key f.uf stayed'
try 'ultrafilter info f.uf | grep -A 1 "^  Wrong removal\|^  Removed keys"'
for kind in counting deletable; do
    build f.uf "$(seeded "$kind" 1000 1e-4)" <keys
    try "ultrafilter info f.uf | grep -A 1 '^  Wrong removal\|^  Removed keys' # $kind"
done
