# SPDX-License-Identifier: MIT
# Plans before anything is built: exact tables, the contract's JSON, and what is said of impossible wishes.
try 'ultrafilter plan -n 1000000 -p 0.01'
try 'ultrafilter plan -n 1e6'
try 'ultrafilter plan -n 1e9 -p 1e-6'
try 'ultrafilter plan -n 1000 --bits-per-key 8'
try 'ultrafilter plan -n 1000 --bits 12000'
try 'ultrafilter plan --bits 8e6 -p 0.01'
try 'ultrafilter plan -n 1e6 -p 0.01 --kind bloom'
try 'ultrafilter plan -n 1e6 -p 0.01 --kind dcso'
try 'ultrafilter plan -n 1e6 -p 0.01 --bits 8e6'
try 'ultrafilter plan -n 0 -p 0.01'
try 'ultrafilter plan -n 1 -p 0.5'

note "JSON"
try 'ultrafilter plan --json -n 1e6 -p 0.01'
try 'ultrafilter plan --json -n 1e6 -p 0.01 --bits 8e6'
ultrafilter plan --json -n 1000 --bits-per-key 8 >json
for key in limit fpr fnr sum f1 designs mechanism spec bits_per_key epsilon; do
    grep -q "^ *\"$key\": " json || echo "no $key"
done

note "what a plan says is what a build does; ribbon is rounded up to whole words"
bits_of() { sed -n 's/.*"spec":.*bits=\([0-9]*\).*/\1/p'; }
for kind in $kinds; do
    spec=$(ultrafilter plan --json --kind "$kind" -n 1000 -p 0.01 | sed -n 's/.*"spec": "\(.*\)",/\1/p')
    built=$(seq 1000 | ultrafilter build --json -o f.uf --spec "$spec" | bits_of)
    echo "$spec $built"
done

note "impossible"
try 'ultrafilter plan --kind bloom -n 1000000 -p 0.001 --bits 8000000'
try 'ultrafilter plan --kind blocked -n 1000000 -p 0.001 --bits-per-key 8'
try 'ultrafilter plan --kind ribbon -n 1000000 -p 0.001 --bits 8000000'
try 'ultrafilter plan -n 1000000 -p 0.001 --bits 8000000'
try 'ultrafilter plan -n 1000 -p 1e-30'

note "mistakes"
try 'ultrafilter plan'
try 'ultrafilter plan -p 0.01'
try 'ultrafilter plan --bits 8000'
try 'ultrafilter plan --bits-per-key 8 -p 0.01'
try 'ultrafilter plan -n 1000 -p 1'
try 'ultrafilter plan -n 1000 -p 0'
try 'ultrafilter plan -n 1e17'
try 'ultrafilter plan -n 1000 --bits 100 --bits-per-key 1'
try 'ultrafilter plan -n 1000 extra'
