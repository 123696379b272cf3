# SPDX-License-Identifier: MIT
# A query, and a build with -n, need the memory of the filter and a constant: what they take at the peak after a million
# lines is what they take after several, but for buffers that a thread had no turn to fill before: two bytes for each
# further line at most, where keeping them would take seven and a pointer. And not much more than the filter.
not_sanitized
[ -r /proc/self/status ] || skip "there is no /proc here"
lines=4000000
pack='cat' # what the keys go through before
[ -z "$FULL" ] || lines=10000000

peak_of() { sed -n 's/^VmHWM:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$1/status"; }

# watch NAME FILTER-KIB COMMAND...: feeds the command through the pipe `keys`, and looks at it when it has read them.
watch() {
    name=$1 filter=$2
    shift 2
    rm -f keys
    mkfifo keys
    "$@" >out &
    pid=$!
    exec 3>keys
    seq 1000000 | $pack >&3
    early=$(peak_of $pid)
    seq 1000001 $lines | $pack >&3
    late=$(peak_of $pid)
    exec 3>&-
    wait $pid
    [ $((late - early)) -lt $(((lines - 1000000) / 512)) ] || echo "$name: grew from $early to $late KiB"
    [ "$late" -lt $((filter + 16384)) ] && echo "$name: less than 16 MiB besides the filter" && return
    echo "$name: $late KiB at the peak for a filter of $filter"
}

for kind in $kinds; do
    seq 1000000 | build f.uf "$(seeded "$kind" 1000000 0.01)"
    watch "$kind, count" $(($(size_of f.uf) / 1024)) ultrafilter query -c -j 4 f.uf keys
    watch "$kind, print" $(($(size_of f.uf) / 1024)) ultrafilter query -j 4 f.uf keys
done
pack="gzip -1"
watch "packed, count" $(($(size_of f.uf) / 1024)) ultrafilter query -c -j 4 f.uf keys
pack='cat'
watch "build blocked" 12288 ultrafilter build -j 4 -o g.uf --kind blocked -n 1e7 -p 0.01 keys
watch "build bloom" 12288 ultrafilter build -j 4 -o g.uf --kind bloom -n 1e7 -p 0.01 keys
watch insert $(($(size_of g.uf) / 1024)) ultrafilter insert g.uf keys
