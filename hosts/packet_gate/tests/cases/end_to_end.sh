# SPDX-License-Identifier: MIT
# Generated captures, of which the truth is known: the exact sets must be right in every verdict, and the filters wrong
# as often as they state. They are for one error in a hundred, and as full as planned: there is something to count.
packets=100000
[ -z "$SMALL" ] || packets=20000

# field NAME: the first number of that name in the report.
field() { sed -n "s/^ *\"$1\": \([^,]*\),*$/\1/p" report.json | head -n 1; }

# judge GOOD-KIND PACKETS SOURCES GENERATE-OPTIONS...: through a pipe, so that a large capture needs no disk.
judge() {
    kind=$1
    make="packet_gate generate --packets $2 --sources $3 --seed 5"
    places=$(($3 * 2))
    spec=n=$3,fpr=0.01
    shift 3
    quietly $make "$@" --folder t -o /dev/null
    bad=$(grep -c ' bad$' t/truth.txt)
    code=0
    $make "$@" -o - | packet_gate - --exact --json --patterns t/patterns.txt --deny t/deny.txt --ask t/truth.txt \
        --answers answers.txt --sources $places --seed 9 --good "$kind:$spec" --bad "bloom:n=$bad,fpr=0.01" \
        >report.json || code=$?
    echo "$kind: exit $code; $(field read) packets; exact verdicts that are wrong: $(field exact_wrong)"
    awk -v wrong="$(field wrong)" -v expected="$(field expected_now)" -v missed="$(field missed)" 'BEGIN {
        off = (wrong - expected) / sqrt(expected)
        print "wrong verdicts: " (off < -3 ? "too few" : off > 3 ? "too many" : "within 3 sigma of the rates") \
            "; bad sources missed: " missed
    }'
    differ=$(diff t/truth.txt answers.txt | grep -c '^>')
    [ "$differ" -eq "$(field wrong)" ] || echo "$differ answers differ from the truth, but $(field wrong) were reported"
}

note "a tenth as many sources as packets"
judge counting $packets $((packets / 10)) | sed "s/$packets/N/"
judge deletable $packets $((packets / 10)) | sed "s/$packets/N/"
judge tombstone $packets $((packets / 10)) | sed "s/$packets/N/"

note "IPv6 for every third source, many fragments, long sequences spread over many packets"
judge counting $packets $((packets / 50)) --ipv6 0.33 --fragments 0.5 --length 40 --spread 8 | sed "s/$packets/N/"

if [ -n "$FULL" ]; then # nothing but what is wrong is printed, so that the expected output stays the same
    { judge counting 1000000 100000 && judge counting 10000000 1000000; } >full
    grep -v -e ': exit 0; 10* packets; exact verdicts that are wrong: 0$' \
        -e '^wrong verdicts: within 3 sigma of the rates; bad sources missed: 0$' full || true
fi

note "the control: a truth in which 2 in 100 strangers are good is not within the rates"
quietly packet_gate generate --packets 20000 --sources 2000 --seed 5 --folder t -o a.pcap
awk '$2 == "unknown" && ++n % 50 == 0 { $2 = "good" } { print }' t/truth.txt >false.txt
with='--patterns t/patterns.txt --deny t/deny.txt --answers answers --good counting:n=2000,fpr=0.01 --bad bloom:n=300,fpr=0.0001 --seed 9'
try 'packet_gate a.pcap --ask t/truth.txt $with >report; grep more report'
try 'packet_gate a.pcap --ask false.txt $with >report || echo "exit status $?"; grep more report'
