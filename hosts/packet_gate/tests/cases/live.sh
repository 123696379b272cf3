# SPDX-License-Identifier: MIT
# A live interface: packets sent to this machine's own loopback, where others may send too. Needs the right to capture, and
# bash to send.
needs bash
[ "$(id -u)" -eq 0 ] || skip "capturing needs root"
printf '"EVIL"\n' >patterns.txt
echo 127.0.0.1 >ask.txt
gate='packet_gate --live lo --seconds 60 --patterns patterns.txt --ask ask.txt --seed 1'

# until_it_ends COMMAND: repeats the command while the gate runs.
until_it_ends() {
    while kill -0 "$pid" 2>/dev/null; do
        eval "$1" 2>/dev/null || true
        sleep 0.05
    done
    code=0
    wait "$pid" || code=$?
    ! grep -q 'cannot capture' errors || skip "cannot capture here: $(cat errors)"
    echo "exit status $code"
    cat errors
}

note "it ends after thirty packets, long since knowing who sends what"
$gate --packets 30 >report 2>errors &
pid=$!
until_it_ends "bash -c 'printf .EVIL. >/dev/udp/127.0.0.1/4433'"
grep '^127' report

note "what it serves is a capture: three packets of the first, and all of others"
rm -f served.pcap
$gate --packets 60 --output served.pcap --verdicts verdicts.txt >report 2>errors &
pid=$!
until_it_ends "bash -c 'printf .EVIL. >/dev/udp/127.0.0.1/4433'"
packet_gate served.pcap --verdicts again.txt --seed 1 >report
grep ' served ' verdicts.txt | cut -d ' ' -f 2,3 >one
cut -d ' ' -f 2,3 again.txt | cmp - one
grep -c ' refused 127.0.0.1 bad' verdicts.txt | sed 's/^[1-9][0-9]*$/and refuses the others/'

note "it may not everywhere, and says so"
if command -v setpriv >/dev/null; then
    setpriv --bounding-set=-net_raw,-net_admin packet_gate --live lo --seconds 1 2>&1 | sed 's/;.*//'
else
    echo "packet_gate: lo: you may not capture from this interface"
fi
packet_gate --live no-such-interface 2>&1 || echo "exit status $?"

note "it ends when it is asked to, and reports"
$gate >report 2>errors &
pid=$!
until_it_ends "grep -q packet_gate /proc/$pid/comm && kill -INT $pid" # not the shell that is about to become it
grep -c '^Packets' report
