# SPDX-License-Identifier: MIT
# What build refuses, and what it says. Not one of these may leave a file.
seq 1000 >keys
build model.uf "$(seeded bloom 1000 0.01)" <keys

# refused ARGUMENTS: the rest of a build that must fail
refused() { try "ultrafilter build -o new.uf $1 keys"; }

note "contradictions"
refused '--spec bloom:n=1000 --kind bloom'
refused '--spec bloom:n=1000 -n 1000'
refused '--spec bloom:n=1000 --capacity 1000'
refused '--spec bloom:n=1000 -p 0.01'
refused '--spec bloom:n=1000 --bits 10000'
refused '--spec bloom:n=1000 --bits-per-key 10'
refused '--spec bloom:n=1000 --like model.uf'
refused '--like model.uf --kind bloom'
refused '--like model.uf -n 1000'
refused '--like model.uf -p 0.01'
refused '--bits 10000 --bits-per-key 10'
refused '--format dcso --kind bloom'
refused '--format dcso --spec bloom:n=1000'
refused '--format dcso --like model.uf'

note "wishes that cannot be met"
refused '-n 1000 -p 0.001 --bits 1000'
refused '--kind bloom -n 1000000 -p 0.001 --bits-per-key 8'
refused '--kind ribbon -n 1000 -p 1e-30'
refused '-n 1e18'
refused '--kind ribbon -n 1e18'

note "numbers"
for value in -1 nan inf 1.5 1e30 x '""' 1e 0x10 1000000000000000000000000; do
    refused "-n $value"
done
for value in 0 1 2 x -0.1 1e-400 0,01; do
    refused "-p $value"
done
refused '--bits 0'
refused '--bits 1.5'
refused '--bits-per-key 0'
refused '--bits-per-key -3'

note "specs"
for spec in '' blom:n=1000 :n=1000 bloom:n bloom:n= bloom:m=1000 bloom:n=1000,n=2000 bloom:n=1000,, \
    bloom:n=1000,k=0 bloom:n=1000,k=65 bloom:n=1000,k=x blocked:n=1000,k=9 bloom:n=1000,band=64 ribbon:n=1000,band=65 \
    ribbon:n=1000,slack=0 ribbon:n=1000,slack=9 bloom:n=1000,seed=0x bloom:n=1000,seed=0x11112222333344445 \
    dcso:n=1000,seed=0x1 'bloom(n=1000)' 'bloom: n=1000'; do
    refused "--spec '$spec'"
done

note "options and values"
refused '--kind blom'
refused '--kind ""'
refused '--format gzip'
refused '--knd bloom'
try 'ultrafilter build -o new.uf keys --like'
refused '--json=yes'
refused '-x'
refused '-qx'
try 'ultrafilter build -o new.uf keys --kind'
try 'ultrafilter build -o new.uf keys -n'
try 'ultrafilter build -o new.uf keys more'
try 'ultrafilter build keys'
try 'ultrafilter build -o'
try 'ultrafilter build -o "" keys'
try 'ultrafilter build -o new.uf --output= keys'
try 'ultrafilter build -o new.uf --progress=sometimes keys'

note "sources and targets"
refused '--like missing.uf'
try 'ultrafilter build -o new.uf missing.txt'
try 'ultrafilter build -o new.uf .'
try 'ultrafilter build -o . keys'
try 'ultrafilter build -o /dev/null keys'
try 'ultrafilter build -o nowhere/new.uf keys'
try 'ultrafilter build -o keys/new.uf keys'
try 'ultrafilter build -o new.uf <&-'
long=$(awk 'BEGIN { for (i = 0; i < 300; i++) printf "n" }')
try 'ultrafilter build -o $long keys 2>&1 | sed "s/nnn*/LONG/"'

note "nothing was left behind"
try 'ls -A'
