# SPDX-License-Identifier: MIT
# What info tells of each kind; the keys of its JSON are a contract with scripts.
seq 1000 >keys
for kind in $kinds; do
    build f.uf "$(seeded "$kind" 1000 0.01)" <keys
    try "ultrafilter info f.uf # $kind"
done
for kind in blocked ribbon; do
    build f.uf "$(seeded "$kind" 1000 0.01)" <keys
    try "ultrafilter info --json f.uf # $kind"
done

note "the contract: these keys for each kind"
for kind in $kinds; do
    build f.uf "$(seeded "$kind" 1000 0.01)" <keys
    ultrafilter info --json f.uf >json
    for key in kind spec bytes bits claim epsilon delta fpr fnr unit not_protected proof count_estimate fill fpr_now; do
        grep -q "^ *\"$key\": " json || echo "$kind: no $key"
    done
    echo "$kind: $(json_keys <json | tr -s ' \n' ' ')"
done

note "a spec from info builds the same file again"
for kind in $kinds; do
    quietly ultrafilter build -o f.uf --kind "$kind" -n 1000 -p 0.003 keys
    spec=$(ultrafilter info --json f.uf | sed -n 's/.*"spec": "\(.*\)",/\1/p')
    quietly ultrafilter build -o again.uf --spec "$spec" keys
    cmp f.uf again.uf && echo "$kind: the same"
done

note "a seed is drawn for each filter"
try 'ultrafilter build -q -o a.uf keys; ultrafilter build -q -o b.uf keys; cmp -s a.uf b.uf || echo two seeds'
try 'ultrafilter info a.uf | mask_seeds | grep Spec'

note "empty, overfull, odd names"
try 'ultrafilter build -q -o none.uf --spec bloom:n=0,fpr=0.01,seed=0x1 /dev/null; ultrafilter info none.uf'
try 'ultrafilter info --json none.uf'
try 'yes "" | head -n 1 | ultrafilter build -q -o tiny.uf --spec bloom:n=1,bits=1,k=1,seed=0x1; ultrafilter info tiny.uf'
try 'ultrafilter info --json tiny.uf | grep -e count_estimate -e fill -e now'
try 'cp a.uf "a \"b\".uf"; ultrafilter info --json "a \"b\".uf" | grep file\"'
try 'name=$(printf "\377.uf"); cp a.uf "$name"; ultrafilter info --json "$name" | grep file\"'

note "mistakes"
try 'ultrafilter info'
try 'ultrafilter info a.uf b.uf'
try 'ultrafilter info --jsn a.uf'

note "a signature that cannot be read is not none"
echo 1 | ultrafilter build -q -o locked.uf --spec bloom:n=10,fpr=0.01,seed=0x5eed
mkdir locked.uf.sig
try 'ultrafilter info locked.uf | head -n 1'

note "who signed it: what stands beside the file, checked only with a key"
known_key sign.key 1
echo 1 | ultrafilter build -q -o signed.uf --spec bloom:n=10,fpr=0.01,seed=0x5eed
try 'ultrafilter info signed.uf | grep Signed; ultrafilter sign -q --key-file sign.key --name deny --serial 7 signed.uf; ultrafilter info signed.uf | grep -A1 Signed'
try 'ultrafilter keygen -q --public --key-file sign.key -o sign.pub; ultrafilter info --verify-key sign.pub signed.uf | grep -A1 Signed'
try 'ultrafilter info --json --verify-key sign.pub signed.uf | jq -c .signature'
try 'echo 2 | ultrafilter insert -q signed.uf; ultrafilter info signed.uf | grep -A1 Signed; ultrafilter info --verify-key sign.pub signed.uf'
try 'echo nonsense >signed.uf.sig; ultrafilter info signed.uf | grep Signed; ultrafilter info --signature signed.uf.sig signed.uf'
