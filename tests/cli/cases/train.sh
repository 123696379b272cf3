# SPDX-License-Identifier: MIT
# train: models from lists of keys, what is said about them, and what cannot be trained on.
words 0 4000 1 >set
words 1 4000 2 >others
words 1 4000 3 >valid
lists='--positives set --negatives others --valid valid'

try "ultrafilter train -o a.ufm $lists"
try "ultrafilter train -q -j 1 -o b.ufm $lists; cmp a.ufm b.ufm && echo the same with one thread"
try "ultrafilter train -q --seed 2 -o c.ufm $lists; cmp -s a.ufm c.ufm || echo another with another seed"
try "ultrafilter train --json --weight-bits 8 --budget 1e3 -o d.ufm $lists | grep -v auc"
try "ultrafilter train -q -p 1e-9 --children bloom -o e.ufm $lists; size_of e.ufm"
tr '\n' '\0' <set >set0
tr '\n' '\0' <others >others0
tr '\n' '\0' <valid >valid0
try 'ultrafilter train -q -0 -o f.ufm --positives set0 --negatives others0 --valid valid0; cmp a.ufm f.ufm && echo equal'

note "negatives that are keys are counted and left out"
cat others set >mixed
try 'ultrafilter train -o g.ufm --positives set --negatives mixed --valid valid; cmp a.ufm g.ufm'

note "nothing to learn from; an old model stays"
cp a.ufm old.ufm
: >empty
try 'ultrafilter train -o a.ufm --positives set --negatives empty --valid valid'
try 'ultrafilter train -o a.ufm --positives set --negatives set --valid valid'
try 'ultrafilter train -o a.ufm --positives empty --negatives others --valid valid'
try 'ultrafilter train -o a.ufm --positives set --negatives others --valid empty'
try 'ultrafilter train -o a.ufm --positives set --negatives others --valid set'
try 'cmp a.ufm old.ufm'

note "options"
try 'ultrafilter train -o x.ufm --positives set --negatives others'
try "ultrafilter train $lists"
try "ultrafilter train -o x.ufm --budget 31 $lists"
try "ultrafilter train -o x.ufm --budget 0 $lists"
try "ultrafilter train -o x.ufm --budget 1.5 $lists"
try "ultrafilter train -o x.ufm --weight-bits 5 $lists"
try "ultrafilter train -o x.ufm -p 1 $lists"
try "ultrafilter train -o x.ufm --seed 1e300 $lists"
try "ultrafilter train -o x.ufm --children dcso $lists"
try 'ultrafilter train -o x.ufm --positives set --negatives nowhere --valid valid'
try "ultrafilter train -o nowhere/x.ufm $lists"
try "ultrafilter train -o - $lists"
try "ultrafilter train -o x.ufm $lists more"
try "(ulimit -f 0; ultrafilter train -o x.ufm $lists; echo \"exit \$?\") 2>&1 | cat"
try 'ls *.ufm'
