# SPDX-License-Identifier: MIT
# The process takes no more memory after ten times as many sources.
not_sanitized
[ -r /proc/self/status ] || skip "there is no /proc here"
peak_of() { sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status"; }
mkfifo packets
packet_gate --lines packets --sources 1e4 --good counting:n=10000 --seed 1 >report 2>errors &
pid=$!
exec 3>packets
seq -f '%.0f 1' 100000 >&3
early=$(peak_of $pid)
seq -f '%.0f 1' 100001 1000000 >&3
late=$(peak_of $pid)
exec 3>&-
wait $pid || echo "exit status $?"
cat errors
[ $((late - early)) -lt 256 ] && echo "no growth" || echo "grew from $early to $late KiB"
sed 's/ in [0-9.]* s.*//' report
