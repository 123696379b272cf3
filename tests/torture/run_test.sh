#!/bin/sh
# SPDX-License-Identifier: MIT
# The driver of torture and its page, on parts of our own: figures of one run stay when the next runs other parts, and
# what died, fell short, printed nonsense or never ran is in the table and in the exit status.
# usage: tests/torture/run_test.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
TORTURE_PARTS=$folder/parts
export TORTURE_PARTS
mkdir "$folder/parts"
cd "$folder"

# part NAME LINE...: a part that runs these lines.
part() {
    name=$1
    shift
    printf '#!/bin/sh\n# What %s tries. More of it.\n' "$name" >"parts/$name"
    printf '%s\n' "$@" >>"parts/$name"
    chmod +x "parts/$name"
}

# run STATUS WORD...
run() {
    expected=$1 status=0
    shift
    "$here/run" "$@" >table 2>log || status=$?
    [ "$status" = "$expected" ] || fail "run $*: exit status $status, not $expected"
}

fail() {
    echo "FAILED: $*" >&2
    cat table log >&2
    exit 1
}

# shows WORDS...: each is in a line of the table.
shows() {
    for words; do
        grep -q -e "$words" table || fail "no '$words' in the table"
    done
}

part good "printf '%s\\t%s\\t7\\tmet\\tSEED=1\\n' first '7 of *|2'; echo aside >&2"
part less 'printf "second\t%s tried\t9 tried\tshort\n" "$1"'
run 0 full . out.json good
shows '^good  first  *7 of' 'met      SEED=1' '^less  .*not run' '^full size, 20..-..-.., .*: good$' '^1 met, 1 short of the target, 0 failed$'
run 0 short . out.json less
shows '^good  first' '^less  second  *short tried  *9 tried  *short$' '^full size.*: good$' '^short size.*: less$'
part good 'printf "first\t8\t7\tmet\tagain\n"'
cp out.json older.json
run 0 full . out.json good
shows '^good  first .*again$' '^less  second   *short tried'
! grep -q '7 of' table || fail "the old figure is still there"

# Two runs at once lose nothing.
part slow ': >begun; while [ ! -e go ]; do sleep 0.01; done; printf "fourth\t1\t1\tmet\n"'
part quick 'printf "fifth\t1\t1\tmet\n"'
"$here/run" full . out.json slow >slow.out 2>slow.log &
while [ ! -e begun ]; do sleep 0.01; done
run 0 full . out.json quick
: >go
wait $!
run 0 table out.json
shows '^slow  *fourth' '^quick  *fifth' '^good  *first'
rm parts/slow parts/quick

# A piece of a part leaves its other figures, and all that is known of it takes the place of all.
part pieces 'for piece in ${PIECE:-sixth ninth}; do printf "$piece\t1\t1\tmet\n"; done; [ "$PIECE" != dies ] || kill -9 $$'
run 0 full . pieces.json pieces:sixth,seventh
run 1 full . pieces.json pieces:dies
shows '^pieces *sixth' '^pieces *seventh' '^pieces *exit status'
run 0 full . pieces.json pieces:seventh,eighth
shows '^pieces *sixth' '^pieces *seventh' '^pieces *eighth' '^pieces *dies' '^4 met, [0-9]* short of the target, 0 failed'
cp pieces.json other.json
run 0 full . pieces.json pieces
shows '^pieces *sixth' '^pieces *ninth' '^2 met'
run 0 full . another.json pieces:tenth
run 0 table another.json other.json
shows '^pieces *tenth' '^pieces *eighth' '^5 met'
run 0 short . another.json pieces:tenth
shows '^pieces *tenth' '^1 met'
run 1 full . pieces.json good:first
grep -q "good has no pieces, such as 'first'" log || fail "a piece of a part that has none"
rm parts/pieces

# The newest of each part, whatever the order of the files.
sed -i 's/"20[0-9-]*T/"2001-01-01T/' older.json
run 0 table out.json older.json
shows '^good  first .*again$'

# What fails: a promise, a part that dies, lines that are none, no line at all.
part broken 'printf "third\t1 wrong\t0 wrong\tfailed\n"; exit 1'
part dead 'kill -9 $$'
part mute ':'
part nonsense 'echo hello'
run 1 full . out.json broken dead mute nonsense
shows '^broken .*failed' '^dead .*exit status .*the part died' '^mute .*at least one' "^nonsense .*'hello'" '^1 met, 1 short of the target, 4 failed$'
run 1 table out.json
run 1 full . out.json nobody
grep -q "there is no part 'nobody': the parts are broken dead good" log || fail "a part that is not there"
echo '{"figures": []}' >other.json
run 1 full . other.json good
grep -q 'other.json: has no figures of parts' log || fail "a file of another kind is taken"

# Parts that read what a script prints, each beside one that prints such lines, and much else to standard error.
tree=$folder/tree/tests
mkdir -p "$tree/torture" "$tree/fuzz" "$tree/coverage"
cp -r "$here/parts" "$here/lib.sh" "$tree/torture"
TORTURE_PARTS=$tree/torture/parts

# script NAME STATUS LINE...
script() {
    name=$1 status=$2
    shift 2
    printf '#!/bin/sh\necho "[  1%%] Building C object" >&2\ncat <<"END"\n' >"$tree/$name"
    printf '%b\n' "$@" END "exit $status" >>"$tree/$name"
    chmod +x "$tree/$name"
}
script coverage/run.sh 0 'file  lines  branches' 'missing: a.c:1: never true: x' 'lines\t96.10 %\t961 of 1000' 'branches\t89.99 %\t8999 of 10000' 'parser branches\t100.00 %\t7 of 7'
script fuzz/run.sh 0 'harness executions per_second edges crashes' 'spec 100000000 5000 300 0' 'key 7 2 30 0'
script fuzz/planted.sh 0 'harness executions seconds' 'spec 20 3.5'
script reproducible.sh 0 'library: the same 100 bytes'
run 0 full . scripts.json coverage fuzz planted reproducible
shows 'coverage: lines  *96.10 %  *95 %  *met' 'coverage: branches  *89.99 %  *90 %  *short' 'parser branches  *100.00 %  *100 %  *met' \
    'fuzzing: spec .* met ' 'fuzzing: key  *7 executions .* short ' 'planted bug: spec  *3.5 s  *60 s  *met' 'reproducible: library .* met '
script fuzz/run.sh 1 'harness executions per_second edges crashes' 'spec 100000000 5000 300 1'
script fuzz/planted.sh 1 'harness executions seconds' 'spec 20 not_found' 'key 20 61.0'
script reproducible.sh 1 'library: differs'
script coverage/run.sh 1
run 1 full . failures.json coverage fuzz planted reproducible
shows '^coverage  *exit status  *1 .* failed' 'fuzzing: spec .* failed ' 'planted bug: spec  *not found .* failed' 'planted bug: key .* failed' \
    'reproducible: library  *differs .* failed'
TORTURE_PARTS=$folder/parts

"$here/page" out.json >table 2>log || fail "page"
shows '^1 met, 1 short, 4 failed\.$' '^## What good tries$' '^`less`, short size, 20' '^| first | 8 | 7 | met | again |$' '^| broken dead good mute nonsense | full | 20' '^| mute | figures | none | at least one | failed |  |$'
"$here/page" older.json >table 2>log || fail "page of an older file"
shows '^`broken`: not run yet\.$' '| 7 of \\\*\\|2 |'
