# SPDX-License-Identifier: MIT
# Learned kinds over a key: with a kind and a key file, with a spec in brackets, and what is said when the key is missing.
words 0 6000 1 >set
words 1 6000 2 >others
words 1 6000 3 >valid
quietly ultrafilter keygen -o key

for kind in learned sandwich partition; do
    try "ultrafilter build -q -o a.uf --kind $kind -p 0.01 --key-file key --prf aes --negatives others --valid valid set"
    try "ultrafilter info a.uf | grep -o 'keyed($kind:.*fpr=0.01'; ultrafilter query -c --key-file key a.uf set"
    try "ultrafilter build -q -o b.uf --spec 'keyed($kind:fpr=0.01)' --key-file key --negatives others --valid valid set"
    try "ultrafilter query -c --key-file key b.uf set"
done
try "ultrafilter build -o c.uf --spec 'keyed(partition:fpr=0.01)' --negatives others --valid valid set"
try "ultrafilter build -o c.uf --kind bloom --key-file key --negatives others --valid valid set"
