# SPDX-License-Identifier: MIT
# Keyed filters: every command with the right key, another one, and none. Nothing of a key is in what is written.

known_key a.key 1
known_key b.key 2
seq 1 1000 >keys
seq 501 1500 >some

note "build"
try 'ultrafilter build -o x.uf -p 0.01 --key-file a.key keys; rm x.uf'
try 'ultrafilter build -o x.uf --kind bloom -p 0.01 --prf aes --key-file a.key keys; rm x.uf'
try 'ultrafilter build -o a.uf --spec "keyed(blocked:n=2000,fpr=0.01,seed=0x5eed)" --key-file a.key keys'
try 'ultrafilter build -o aes.uf --spec "keyed(bloom:n=2000,fpr=0.01,seed=0x5eed,prf=aes)" --key-file a.key keys'
try 'ultrafilter build -o spec.uf --spec "keyed(ribbon:fpr=0.01)" --key-file a.key keys'
try 'ultrafilter build -o x.uf --spec "keyed(bloom:n=1000)" keys'
try 'ultrafilter build -o x.uf --spec bloom:n=1000 --key-file a.key keys'
try 'ultrafilter build -q -o s1.uf --spec bloom:n=1000,seed=derived --key-file a.key keys && ultrafilter query -c s1.uf some'
try 'ultrafilter build -q -o s2.uf --spec bloom:n=1000,seed=derived --key-file a.key keys && cmp s1.uf s2.uf'
try 'ultrafilter build -q -o s2.uf --spec bloom:n=1000,seed=derived --key-file b.key keys && cmp -s s1.uf s2.uf || echo another key, another file; rm s1.uf s2.uf'
try 'ultrafilter build -o x.uf --spec bloom:n=1000,seed=derived keys'
try 'ultrafilter build -o x.uf --prf aes keys'
try 'ultrafilter build -o x.uf --prf md5 --key-file a.key keys'
try 'ultrafilter build -o x.uf --kind dcso --key-file a.key keys'
try 'ultrafilter build -o x.uf --key-file nowhere.key keys'
try 'ultrafilter build -o x.uf --key-file keys keys'
chmod 640 b.key
try 'ultrafilter build -o x.uf --key-file b.key keys'
chmod 600 b.key
try 'ls x.uf'

note "query: with the key, without, with another; from a descriptor"
try 'ultrafilter query -c --key-file a.key a.uf some'
try 'ultrafilter query -c --key-file a.key --mmap aes.uf some'
for file in a.uf aes.uf spec.uf; do
    try "ultrafilter query $file keys"
    try "ultrafilter query --key-file b.key $file keys"
done
try 'ultrafilter query --mmap a.uf keys'
try 'ultrafilter query -c --key-file /dev/fd/3 a.uf some 3<a.key'
try 'cat a.key | ultrafilter query -c --key-file /dev/stdin a.uf some'

note "insert, remove, merge, info"
try 'ultrafilter build -o c.uf --spec "keyed(counting:n=2000,fpr=0.01)" --key-file a.key keys'
try 'ultrafilter insert --key-file a.key c.uf some | mask_now'
try 'ultrafilter insert c.uf some'
try 'ultrafilter insert --key-file b.key c.uf some'
try 'ultrafilter remove --key-file a.key c.uf some | mask_now'
try 'ultrafilter remove c.uf some'
try 'ultrafilter build -o d.uf --like a.uf --key-file a.key some'
try 'ultrafilter build -o x.uf --like a.uf some'
try 'ultrafilter build -o x.uf --like a.uf --key-file b.key some'
try 'ultrafilter merge -o m.uf a.uf d.uf'
try 'ultrafilter merge -o m.uf --key-file b.key a.uf d.uf'
try 'ultrafilter merge -o m.uf --key-file a.key a.uf d.uf | mask_now'
try 'seq 1 1500 | ultrafilter query -c --key-file a.key m.uf'
try 'cat a.key | ultrafilter merge -o m.uf --key-file /dev/fd/0 a.uf d.uf | mask_now'
try 'ultrafilter build -o plain.uf --spec blocked:n=2000,fpr=0.01,seed=0x5eed keys'
try 'ultrafilter merge -o m.uf --key-file a.key plain.uf d.uf'
try 'ultrafilter info a.uf'
try 'ultrafilter info --key-file a.key a.uf | grep Key'
try 'ultrafilter info --key-file b.key a.uf'
try 'ultrafilter info --json aes.uf | grep key_id'
try 'ultrafilter info --key-file b.key plain.uf | grep -c Key'

note "one key, two builds: nothing in common but the id"
quietly ultrafilter build -o e.uf -p 0.01 --key-file a.key keys
try 'ultrafilter build -q -o f.uf -p 0.01 --key-file a.key keys; cmp -s e.uf f.uf || echo differ'

note "rotation"
ultrafilter keygen -q -o new.key
cp a.uf old.uf
try 'ultrafilter rebuild -o a.uf --like a.uf --key-file new.key keys'
try 'ultrafilter query -c --key-file new.key a.uf keys'
try 'ultrafilter query -c --key-file a.key a.uf keys 2>&1 | sed "s/is [0-9a-f]\{16\}, and/is ID, and/"'
try 'ultrafilter rebuild -o r.uf --like plain.uf --key-file new.key --prf aes keys; ultrafilter query -c --key-file new.key r.uf keys'
try 'ultrafilter rebuild -o r.uf --like plain.uf keys'
try 'ultrafilter merge -o m.uf plain.uf r.uf 2>&1 | sed "s/against 0x[0-9a-f]*/against another/"'
try 'ultrafilter rebuild -o r.uf --like old.uf keys'
try 'head -n 100 keys | ultrafilter rebuild -q -o r.uf --like old.uf --key-file new.key 2>&1 | sed "s/about [0-9,]*/about N/g"'
cp old.uf kept.uf
try 'head -n 100 keys | ultrafilter rebuild -o kept.uf --like old.uf --key-file new.key 2>/dev/null | cut -d" " -f1; cp old.uf kept.uf'
try 'head -n 100 keys | ultrafilter rebuild -o ./kept.uf --like kept.uf --key-file new.key 2>&1 | sed "s/about [0-9,]*/about N/g"; cmp kept.uf old.uf'
try 'ultrafilter rebuild -q -o kept.uf --like kept.uf --key-file new.key </dev/null 2>/dev/null'
try 'ultrafilter rebuild -q -o ./kept.uf --like kept.uf --key-file new.key keys; ultrafilter query -c --key-file new.key kept.uf keys'
try 'ultrafilter rebuild -o r.uf --key-file new.key keys'
try 'ultrafilter rebuild -o r.uf --like keys --key-file new.key keys'
quietly ultrafilter publish -o p.uf --epsilon 3 --capacity 1000 --key-file a.key --label spring keys
try 'ultrafilter rebuild -o r.uf --like p.uf --key-file new.key keys'

note "a core file would have the key in it, so there is none"
# core_limit FOR OPTIONS...: the size that is allowed to a query which waits for its keys, looked at until it is 0, or
# FOR times a tenth of a second.
core_limit() {
    tenths=$1
    shift
    ultrafilter query "$@" <pipe >/dev/null &
    exec 3>pipe
    for _ in $(seq "$tenths"); do
        limit=$(sed -n 's/^Max core file size *\([^ ]*\) .*/\1/p' /proc/$!/limits)
        [ "$limit" = 0 ] && break
        sleep 0.1
    done
    exec 3>&-
    wait $! || true
    [ "$limit" = 0 ] && echo none || echo "as it was"
}
# shellcheck disable=SC3045 # dash and bash have it
if [ "$(ulimit -H -c)" = 0 ] || sanitized; then
    printf '%s\n' none "as it was" # nothing to lower: sanitizers do it themselves
else
    # shellcheck disable=SC3045
    ulimit -c "$(ulimit -H -c)"
    mkfifo pipe
    core_limit 300 --key-file new.key a.uf
    core_limit 5 plain.uf
fi

note "no byte of a key is in any file, as text or as it is"
for key in a.key new.key; do
    hex=$(cut -d' ' -f2 $key)
    for file in *.uf; do
        grep -q "$hex" "$file" && echo "$key is in $file"
        od -An -v -tx1 "$file" | tr -d ' \n' | grep -q "$(echo "$hex" | cut -c1-16)" && echo "$key is in $file"
    done
done
try 'grep -c "$(cut -d" " -f2 a.key)" a.key'
