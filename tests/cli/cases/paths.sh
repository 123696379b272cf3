# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2154,SC2046
# No command writes over what it reads, nor over what would be missed: every pair of an output with another path, as the
# tables of options have them (the completion for fish marks paths with -F).
seq 100 >keys
cp keys kept
ln keys hard
ln -s keys soft
outputs='output ledger'

# paths_of COMMAND: the options that take a path.
paths_of() {
    ultrafilter --generate fish | sed -n "s/.*__fish_seen_subcommand_from $1' -l \([a-z-]*\) .*-r -F.*/\1/p"
}

# refused WORDS COMMAND...: it is an error with these words, and the file is as it was.
refused() {
    words=$1
    shift
    code=0
    "$@" >said 2>&1 <keys2 || code=$?
    if [ "$code" -ne 2 ] || ! grep -q "$words" said || ! cmp -s keys kept; then
        echo "NOT refused: $*"
        cat said
        cp kept keys
    fi
    count=$((count + 1))
}

note "every output against every other path, under four names"
cp keys keys2
count=0
for command in $(commands); do
    paths=$(paths_of "$command")
    for out in $outputs; do
        echo "$paths" | grep -qx "$out" || continue
        for in in $paths; do
            [ "$out" = "$in" ] && continue
            [ "$command:$in" = rebuild:like ] && continue # which it is for
            case $in in
            output | ledger) words='would write: give two names' ;;
            *) words='is a file that this command reads' ;;
            esac
            for name in keys ./keys hard soft; do
                case $command in
                cluster) refused "$words" ultrafilter cluster save people "--$out" keys "--$in" "$name" ;;
                merge | sign) refused "$words" ultrafilter "$command" "--$out" keys "--$in" "$name" keys2 ;;
                *) refused "$words" ultrafilter "$command" "--$out" keys "--$in" "$name" ;;
                esac
            done
        done
        case $command in
        merge | keygen | train | cluster) ;; # operands are what it unites; there are none, or an action first
        *) refused 'is a file that this command reads' ultrafilter "$command" "--$out" keys soft ;;
        esac
    done
done
refused 'is a file that this command reads' ultrafilter publish -o keys --universe file:keys
for command in insert remove; do
    refused 'is a file that this command reads' ultrafilter "$command" keys ./keys
    refused 'is a file that this command reads' ultrafilter "$command" keys --key-file soft
done
echo "$count pairs"
try 'ultrafilter build -o keys <soft; cmp keys kept'
try 'ultrafilter publish -o new.ufl --ledger ./new.ufl --budget 3 --epsilon 3 --capacity 100 keys; ls new.ufl'

note "nor over something else than what is written, whoever writes it"
known_key a.key 1
quietly ultrafilter build -o filter -n 100 -p 0.01 keys
seq 101 200 >other
seq 201 300 >valid
quietly ultrafilter train -o model --positives keys --negatives other --valid valid
quietly ultrafilter sign -o signature --key-file a.key filter
quietly ultrafilter keygen --public --key-file a.key -o public
quietly ultrafilter publish -o private --ledger ledger --budget 9 --epsilon 3 --capacity 100 keys
count=0
cat keys a.key filter model signature public private ledger >all
for file in keys a.key filter model signature public ledger; do
    for line in 'build -o FILE keys2' 'merge -o FILE filter' 'rebuild -o FILE --like filter keys2' \
        'publish -o FILE --epsilon 3 --capacity 100 keys2' 'train -o FILE --positives keys2 --negatives all --valid valid' \
        'sign -o FILE --key-file a.key filter' 'keygen --public --key-file a.key -o FILE' 'keygen -o FILE'; do
        case $file:$line in
        filter:build* | filter:merge* | filter:rebuild* | filter:publish* | model:train* | signature:sign* | \
            public:keygen*public*) continue ;; # what it is for
        esac
        cp "$file" before
        # shellcheck disable=SC2086
        if ultrafilter $(echo "$line" | sed "s/FILE/$file/") >said 2>&1 || ! cmp -s "$file" before; then
            echo "NOT refused: $line over $file"
            cat said
        fi
        count=$((count + 1))
    done
done
cat keys a.key filter model signature public private ledger | cmp - all && echo "$count files as they were"

note "unless told to, but for keys and ledgers"
try 'ultrafilter build -q -o keys2 keys'
try 'ultrafilter build -q -o keys2 --overwrite keys && ultrafilter query -c keys2 keys'
try 'ultrafilter build -q -o keys --overwrite keys && ultrafilter query -c keys kept'
try 'ultrafilter build -q -o a.key --overwrite kept'
try 'ultrafilter merge -q -o ledger --overwrite filter'
try 'ultrafilter sign -q --key-file a.key -o public filter'
try 'ultrafilter insert filter filter'
try ': >empty; ultrafilter build -q -o empty kept && ultrafilter query -c empty kept'
