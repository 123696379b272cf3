#!/bin/sh
# SPDX-License-Identifier: MIT
# Packets per second of hosts/packet_gate on a generated capture, read from the page cache: the best of three runs.
# usage: bench/packet_gate.sh BUILD
set -eu
gate=$1/packet_gate
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM

# measure SOURCES [PATTERNS LENGTHS]: one line.
measure() {
    "$gate" generate -o "$folder/a.pcap" --folder "$folder/t" --packets 5e5 --sources "$1" --patterns "${2:-16}" \
        --length "${3:-12}"
    best=0
    for run in 1 2 3; do
        rate=$("$gate" "$folder/a.pcap" --patterns "$folder/t/patterns.txt" --deny "$folder/t/deny.txt" --json |
            sed -n 's/^ *"packets_per_second": \([0-9]*\).*/\1/p')
        [ "$rate" -le "$best" ] || best=$rate
    done
    printf '%10d sources %10d patterns of %s bytes %12d packets/s\n' "$1" "${2:-16}" "${3:-12}" "$best"
}

echo "packet_gate, 500,000 packets:"
measure 1000
measure 100000
measure 100000 10 8-40
measure 100000 10000 8-40
measure 100000 1000000 8-40
