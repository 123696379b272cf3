# SPDX-License-Identifier: MIT
# hybrid: the reference of docs/hybrid.md, a rate instead of a size, other models, JSON, and mistakes.
try 'ultrafilter-lab hybrid -n 1.7e6 --bits 16777216 --adversarial-share 0.05'
try 'ultrafilter-lab hybrid -n 1.7e6 -p 0.01 --adversarial-share 0.1'
try 'ultrafilter-lab hybrid -n 1109298 --bits-per-key 9.6 --adversarial-share 0 --model-bytes 32768 --model-fpr 0.02 --model-fnr 0.3'
try 'ultrafilter-lab hybrid -n 1000 -p 0.01 --adversarial-share 0.01'
try 'ultrafilter-lab hybrid -n 1e6 -p 0.01 --adversarial-share 1 --model-bytes 0 --model-fpr 0.1 --model-fnr 0.1'

note "JSON"
try 'ultrafilter-lab hybrid -n 1.7e6 --bits 16777216 --adversarial-share 0.05 --json'

note "sized for the adversary: the worst case against 0.0087 of the classical filter"
for alpha in 0 0.01 0.05 0.1 0.2 0.28 0.3 0.5; do
    ultrafilter-lab hybrid -n 1.7e6 --bits 16777216 --adversarial-share $alpha --json |
        awk -v alpha=$alpha '/"fpr":/ && ++count == 3 { printf "%s %.4f\n", alpha, $2 }'
done

note "mistakes"
for share in -1 1.5 nan inf abc '""'; do
    try "ultrafilter-lab hybrid -n 1e6 --adversarial-share $share"
done
try 'ultrafilter-lab hybrid -n 0 --adversarial-share 0.1'
try 'ultrafilter-lab hybrid -n 1e17 --adversarial-share 0.1'
try 'ultrafilter-lab hybrid --adversarial-share 0.1'
try 'ultrafilter-lab hybrid -n 1e6 --model-fpr 0.1'
try 'ultrafilter-lab hybrid -n 1e6 -p 0 --adversarial-share 0.1'
try 'ultrafilter-lab hybrid -n 1e6 -p 1 --adversarial-share 0.1'
try 'ultrafilter-lab hybrid -n 1000 --bits 8000 --adversarial-share 0.1'
try 'ultrafilter-lab hybrid -n 1e6 --bits 0 --adversarial-share 0.1'
try 'ultrafilter-lab hybrid -n 1e6 --bits 1e8 --adversarial-share 0.1 --model-fpr 2'
try 'ultrafilter-lab hybrid -n 1e6 --bits 1e8 --adversarial-share 0.1 --model-fnr 1.01'
try 'ultrafilter-lab hybrid -n 1e6 --bits 1e7 -p 0.01 --adversarial-share 0.1'
try 'ultrafilter-lab hybrid -n 1e6 --bits 1e7 --bits-per-key 10 --adversarial-share 0.1'
