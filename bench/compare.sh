#!/bin/sh
# SPDX-License-Identifier: MIT
# Two libraries side by side, as a table of Markdown: ns per key before, after, and how many times faster.
# usage: bench/compare.sh BEFORE AFTER [options of uf_bench]
# BEFORE and AFTER are build folders, whose uf_bench are run in turns (RUNS=3 times each), or reports that --json wrote
# there or on another machine. The best of all runs counts. Rows that only one of them has are left out; peers are in
# the table too: where those move, the machine did.
set -eu
[ $# -ge 2 ] || {
    echo "usage: bench/compare.sh BEFORE AFTER [options of uf_bench]" >&2
    exit 2
}
before=$1
after=$2
shift 2
scene=$(mktemp -d)
trap 'rm -rf "$scene"' EXIT

# collect SIDE WHAT RUN [options]
collect() {
    to=$scene/$1.$3.json
    if [ -f "$2" ]; then
        cp "$2" "$to"
    elif [ -x "$2/uf_bench" ]; then
        from=$2/uf_bench
        shift 3
        "$from" --json "$to" "$@" >"$scene/log" 2>&1 || {
            cat "$scene/log" >&2
            exit 1
        }
    else
        echo "compare.sh: $2 is neither a report nor a folder with uf_bench; configure with -DUF_BENCH=ON and build" >&2
        exit 2
    fi
}

run=0
while [ $run -lt "${RUNS:-3}" ]; do
    collect before "$before" $run "$@"
    collect after "$after" $run "$@"
    run=$((run + 1))
done

perl -MJSON::PP -e '
    my ($scene) = @ARGV;
    my (%best, @order);
    for my $side ("before", "after") {
        for my $file (glob "$scene/$side.*.json") {
            open my $in, "<", $file or die "compare.sh: $file: $!\n";
            my $report = decode_json(join "", <$in>);
            for my $row (@{$report->{results}}) {
                next if $row->{op} !~ /^(build|(many-)?(hit|miss))$/;
                my $what = $row->{op} =~ s/^many-(.*)/$1, batched/r =~ s/^(hit|miss)$/$1, one by one/r;
                my $key = join "|", map { " $_ " } "$row->{name} $row->{kind}", @$row{qw(n key_bytes threads)}, $what;
                push @order, $key if !$best{$key}++;
                my $old = $best{"$side$key"};
                $best{"$side$key"} = $row->{ns} if !defined $old || $row->{ns} < $old;
            }
        }
    }
    print "| filter | keys | bytes | threads | what | before | after | times faster |\n|---|---|---|---|---|---|---|---|\n";
    for my $key (@order) {
        my ($old, $new) = @best{"before$key", "after$key"};
        printf "|%s| %.1f | %.1f | %.2f |\n", $key, $old, $new, $old / $new if $old && $new;
    }' "$scene"
