# SPDX-License-Identifier: MIT
# One filter in parts: built apart, joined, cut again, and what does not fit.
seq 20000 >all
known_key key 1
known_key other 2
spec=blocked:n=20000,fpr=0.01,seed=0x5eed

note "parts that were built apart are the file of one build"
try "ultrafilter build -o whole.uf --spec $spec,parts=4 all"
try "for p in 0 1 2 3; do ultrafilter build -q -o p\$p.uf --spec $spec --partition \$p/4 all; done"
try 'ultrafilter join -o joined.uf p2.uf p0.uf p3.uf p1.uf && cmp joined.uf whole.uf'
try 'for p in 0 1 2 3; do ultrafilter query -c p$p.uf all; done'
try 'ultrafilter split --parts 4 -o cut-%d.uf whole.uf && for p in 0 1 2 3; do cmp cut-$p.uf p$p.uf; done'
try 'ultrafilter info p2.uf | grep -A1 "Part  \|Keys  "; ultrafilter info --json p2.uf | grep "\"part"'
try 'ultrafilter build -q -o again.uf --like p2.uf --partition 1/4 all && cmp again.uf p1.uf'

note "keyed, with a seed from the key; nobody needs the key to join"
try 'for p in 0 1 2; do ultrafilter build -q -o k$p.uf --key-file key --spec "keyed(blocked:n=20000,fpr=0.01,seed=derived)" --partition $p/3 all; done'
try 'ultrafilter join -q -o k.uf k*.uf && ultrafilter query -c --key-file key k.uf all; ultrafilter query -c k.uf all'

note "what does not fit"
try 'ultrafilter join -o no.uf p0.uf p3.uf; ultrafilter join -o no.uf p0.uf p1.uf p2.uf p3.uf p1.uf; ultrafilter join -o no.uf p0.uf whole.uf'
try 'ultrafilter join -o no.uf p0.uf k1.uf; ultrafilter merge -o no.uf p0.uf p1.uf; ultrafilter merge -o no.uf whole.uf p1.uf'
try 'ultrafilter build -o no.uf -n 100 --partition 1/4 all; ultrafilter build -o no.uf --spec blocked:n=9,seed=0x1 --partition 4/4 all'
try 'ultrafilter build -o no.uf --spec bloom:n=9,seed=0x1 --partition 1/4 all; ultrafilter insert p0.uf all'
try 'ultrafilter split --parts 7 -o no-%d.uf whole.uf; ultrafilter split --parts 4 -o no.uf whole.uf; ultrafilter split --parts 0 -o no-%d.uf whole.uf'
try 'ultrafilter split --parts 2 -o no-%d.uf p0.uf; ultrafilter split -o no-%d.uf whole.uf; ls no*'
try 'cp whole.uf w0.uf; ultrafilter split --parts 4 -o w%d.uf w0.uf'
