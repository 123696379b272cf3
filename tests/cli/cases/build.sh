# SPDX-License-Identifier: MIT
# Ways to ask for a filter, and what comes out.
seq 1000 >keys

note "each kind, from a file"
for kind in $kinds; do
    try "ultrafilter build -o $kind.uf --kind $kind -p 0.01 keys"
    try "ultrafilter query -c $kind.uf keys"
done

note "the default is blocked at 0.001"
try 'ultrafilter build -o a.uf keys'
try 'ultrafilter build -o a.uf <keys'
try 'ultrafilter build -o a.uf - <keys'
try 'cat keys | ultrafilter build -o a.uf'

note "any two of the number, the size and the rate"
try 'cat keys | ultrafilter build -o a.uf -n 2000 -p 0.01'
try 'ultrafilter build -o a.uf -n 1e3 --bits 16000 keys'
try 'ultrafilter build -o a.uf -n 1000 --bits-per-key 8 keys'
try 'ultrafilter build -o a.uf --bits-per-key 8 keys'
try 'ultrafilter build -o a.uf --bits 16000 keys'
try 'ultrafilter build -o a.uf --kind bloom --bits 16000 -p 0.01 keys'
try 'ultrafilter build -o a.uf --capacity=1000 --fpr=0.05 --kind=bloom keys'

note "--spec; the same spec and keys give the same bytes, whatever the threads and the source"
try 'ultrafilter build -o s1.uf --spec ribbon:n=1e3,fpr=0.001,seed=0x5eed -j 1 keys'
try 'cat keys | ultrafilter build -q -o s2.uf --spec ribbon:n=1e3,fpr=0.001,seed=0x5eed -j 4 && cmp s1.uf s2.uf'
try 'ultrafilter build -q -o s3.uf --spec ribbon:fpr=0.001,seed=0x5eed keys && cmp s1.uf s3.uf'
try 'ultrafilter build -q -o s1.uf --spec blocked:fpr=0.01,seed=0x7 -j 1 keys'
try 'sort -r keys | ultrafilter build -q -o s2.uf --spec blocked:fpr=0.01,seed=0x7 -j 4 && cmp s1.uf s2.uf'
try 'ultrafilter build -q -o s3.uf --kind blocked -p 0.01 keys && cmp -s s1.uf s3.uf || echo another seed, another file'

note "no keys"
try 'ultrafilter build -o none.uf --kind bloom -p 0.01 /dev/null'
try 'ultrafilter build -o none.uf --kind ribbon -p 0.01 </dev/null'
try 'ultrafilter build -o none.uf -n 100 -p 0.01 </dev/null'
try 'ultrafilter query -c none.uf keys'

note "--json, -q"
try 'ultrafilter build -o a.uf --spec bloom:fpr=0.01,seed=0x7 --json keys'
try 'ultrafilter build -q -o a.uf keys'
try 'ultrafilter build -q --json -o a.uf --spec bloom:fpr=0.01,seed=0x7 keys | json_keys'

note "more keys than planned for"
try 'ultrafilter build -o a.uf --spec bloom:n=500,fpr=0.01,seed=0x7 keys'
try 'ultrafilter build -o a.uf --spec ribbon:n=500,fpr=0.01,seed=0x7 keys'

note "an old file is replaced, its permissions stay, and a link stays a link"
try 'umask 022; ultrafilter build -q -o old.uf keys; chmod 600 old.uf; seq 5 | ultrafilter build -q -o old.uf'
try 'ls -l old.uf | cut -c1-10; seq 5 | ultrafilter query -c old.uf'
try 'umask 027; ultrafilter build -q -o new.uf keys; ls -l new.uf | cut -c1-10'
try 'mkdir far; ln -s far/away.uf link.uf; ultrafilter build -q -o far/away.uf keys; seq 5 | ultrafilter build -q -o link.uf'
try 'ls -l link.uf | cut -c1; seq 5 | ultrafilter query -c far/away.uf; ultrafilter query -v -q far/away.uf keys'
