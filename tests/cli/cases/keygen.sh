# SPDX-License-Identifier: MIT
# keygen: where the key is, who may read it, and that nothing is ever replaced.
mask_id() { sed "s/\b[0-9a-f]\{16\}\b/ID/g"; }
shape() { sed 's/[0-9a-f]\{64\} [0-9a-f]\{16\}$/64-DIGITS 16-DIGITS/' "$1"; }

try 'ultrafilter keygen -o a.key | mask_id'
try 'shape a.key; stat -c "%a %s bytes" a.key'
cp -p a.key copy
try 'ultrafilter keygen -q -o b.key; cmp -s a.key b.key || echo "another key"'
try 'ultrafilter keygen --json --output=c.key | mask_id'

note "open to nobody else, whatever the umask"
for mask in 000 022 077 777; do
    try "umask $mask; ultrafilter keygen -q -o mask$mask.key && stat -c '%a %n' mask$mask.key"
done

note "nothing is replaced"
ln -s a.key link.key
ln -s nowhere dangling.key
mkdir folder
try 'ultrafilter keygen -o a.key'
try 'ultrafilter keygen -o link.key'
try 'ultrafilter keygen -o dangling.key'
try 'ultrafilter keygen -o folder'
try 'ultrafilter keygen -o folder/'
try 'ultrafilter keygen -o nowhere/a.key'
try 'ultrafilter keygen -o a.key/b.key'
try 'ultrafilter keygen -o /dev/null'
try 'ultrafilter keygen -o -'
try 'ultrafilter keygen -o ""'
try 'ultrafilter keygen'
try 'ultrafilter keygen a.key'
try 'cmp a.key copy'

note "nor does anything else go over a key"
mkdir other
seq 10 >other/keys
quietly ultrafilter build -o other/f.uf -p 0.01 other/keys
try 'ultrafilter keygen --public --key-file a.key -o a.key'
try 'ultrafilter keygen --public --key-file a.key -o link.key'
try 'ultrafilter build -o a.key -p 0.01 --key-file a.key other/keys'
try 'ultrafilter build -o a.key -p 0.01 other/keys'
try 'ultrafilter rebuild -o a.key --like other/f.uf --key-file a.key other/keys'
try 'ultrafilter insert a.key other/keys'
try 'ultrafilter merge -o a.key other/f.uf'
try 'ultrafilter publish -o a.key --epsilon 3 --capacity 10 --key-file a.key other/keys'
try 'ultrafilter sign --key-file a.key -o a.key other/f.uf'
try 'cmp a.key copy'
try 'echo ultrafilter-key >other/words; ultrafilter build -q --overwrite -o other/words -p 0.01 other/keys' # no key
rm -r other

note "a full disk leaves nothing"
try '(ulimit -f 0; ultrafilter keygen -o new.key; echo "exit $?") 2>&1 | cat'
try 'ultrafilter keygen -o new.key >/dev/full'
try 'ultrafilter keygen --json -o new.key >/dev/full'
try 'ls -A'
