# SPDX-License-Identifier: MIT
# What a private build must not do: count its keys, because no n was said or because it was mistyped; say how many there
# were; and make the same release again. Neighbours, of 1,000 and 1,001 keys, through files and pipes.
seq 1000 >one
seq 1001 >two

note "no n, and numbers that are none"
for kind in dpset ultra; do
    for spec in epsilon=1 'n=1O000,epsilon=1' 'n=12abc,epsilon=1' 'n=0x10,epsilon=1' 'n=2000;epsilon=1' 'n=2000,epsilon=1x' \
        'epsilon=1,count_epsilon=' 'epsilon=1,count_epsilon=.1.' 'n=2000,epsilon=1,count_epsilon=1' 'n=2000,epsilon=1,m=3'; do
        try "ultrafilter build -o a.uf --spec '$kind:$spec' one"
    done
done
try 'ultrafilter build -o a.uf --spec dpset:epsilon=1 <one'
try 'ultrafilter build -o a.uf --kind dpset one'
quietly ultrafilter keygen -o k.key
try 'ultrafilter build -o a.uf --spec "keyed(dpset:epsilon=1)" --key-file k.key one'
note "siblings: other kinds and the lab"
try 'ultrafilter build -o a.uf --spec "bloom:n=1000,fpr=1%" one'
try 'ultrafilter build -o a.uf --spec "blocked:n=1_000" one'
try 'ultrafilter publish -o a.uf --epsilon 0x3 -n 1000 one'
try 'ultrafilter-lab audit --spec "dpset:n=1O000,epsilon=1" --trials 10'
test ! -e a.uf && echo "no file"

note "neighbours: nothing that is shown and no size tells them apart"
show() { ultrafilter build -o a.uf --spec "$1" "$2" && ultrafilter build --json -o a.uf --spec "$1" "$2" && ultrafilter info a.uf && size_of a.uf; }
for spec in dpset:n=2000,epsilon=1 ultra:n=2000,epsilon=1; do
    show $spec one | mask_seeds | mask_ids >first
    show $spec two | mask_seeds | mask_ids >second
    ultrafilter build -q -o p.uf --spec $spec <two
    cmp first second && test "$(size_of p.uf)" = "$(size_of a.uf)" && sed 1q first
done
try 'ultrafilter build --json -o a.uf --spec dpset:n=2000,epsilon=3 one | mask_seeds'
note "a control that must differ"
ultrafilter build -o 1.uf --kind ribbon one
ultrafilter build -o 2.uf --kind ribbon two

note "count_epsilon, from a file and from a pipe"
for how in 'one' '- <one'; do
    eval "ultrafilter build -o a.uf --spec dpset:epsilon=1,count_epsilon=1 $how" | sed 's/  .*room for 1,0[0-9]* keys/  1,0NN keys/'
done

note "a release is not made by the way"
try 'ultrafilter build -o b.uf --like a.uf two'
try 'ultrafilter rebuild -o b.uf --like a.uf two'
quietly ultrafilter publish -o d.uf --epsilon 2 --mechanism dime --universe range:1-2000 --kind bloom one
try 'ultrafilter build -o b.uf --like d.uf two'
test ! -e b.uf && echo "no file"
