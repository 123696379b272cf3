# SPDX-License-Identifier: MIT
# From capture to capture: what is served comes out as it came in, packet by packet, and nothing else. A reader of its own
# (perl, not libpcap) compares both files with the verdicts; tcpdump reads the result too where it is installed.
needs perl
packets=20000
[ -z "$SMALL" ] || packets=5000

# reader IN OUT VERDICTS: every served packet of IN, with its time and lengths, is the next one of OUT.
cat >reader.pl <<'END'
use strict;
my ($in, $out, $verdicts) = @ARGV;
sub slurp { my $f; open $f, "<:raw", $_[0] or die "$_[0]: $!"; local $/; my $x = <$f>; return $x; }
sub records {
    my ($bytes, @records) = (shift);
    my ($magic, $major, $minor, undef, undef, $snap, $link) = unpack "VvvVVVV", $bytes;
    for (my $at = 24; $at < length $bytes;) {
        my (undef, undef, $kept) = unpack "VVV", substr $bytes, $at, 12;
        push @records, substr $bytes, $at, 16 + $kept;
        $at += 16 + $kept;
    }
    return (sprintf("%x, version %d.%d, snap length %d, link type %d", $magic, $major, $minor, $snap, $link), \@records);
}
my ($head, $all) = records(slurp($in));
my ($same, $served) = records(slurp($out));
print $head eq $same ? "the same header\n" : "another header: $same, not $head\n";
my ($next, $lines, %count) = (0, 0);
open my $f, "<", $verdicts or die;
while (<$f>) {
    die "line $.: $_" unless /^(\d+) (served \S+ \d+|refused \S+ bad|skipped - (?:not-ip|malformed|cut))$/ && $1 == $.;
    my ($word) = $2 =~ /^(\w+)/;
    $count{$word}++;
    next if $word ne "served";
    print "packet $. differs\n" if $next >= @$served || $all->[$. - 1] ne $served->[$next];
    $next++;
}
print "a line for each packet\n" if $. == @$all;
print "the served packets, and nothing else\n" if $next == @$served;
print "served and refused: both\n" if $count{served} && $count{refused};
END

for link in ethernet raw cooked2 loopback; do
    quietly packet_gate generate -o a.pcap --link $link --packets $packets --sources 300 --ipv6 0.2 --seed 7 --folder t
    with='--patterns t/patterns.txt --deny t/deny.txt --seed 1'
    try "packet_gate a.pcap $with --output served.pcap --verdicts verdicts.txt >report && perl reader.pl a.pcap served.pcap verdicts.txt # $link"
done
note "the counts are those of the report"
try 'for word in served refused; do grep -c " $word " verdicts.txt; done >lines; sed -n 2p report | tr -d , | grep -o "[0-9]* served [0-9]* refused" | grep -o "[0-9]*" | cmp - lines'

note "what was served is served again when judged again with the same filters, but for those who turned bad meanwhile"
try 'packet_gate served.pcap --deny t/deny.txt --seed 1 | sed -n 2p | grep -c " 0 refused"'

note "on standard output: packets, or verdicts; the report then goes to standard error"
try 'packet_gate a.pcap $with --output - 2>report | cmp - served.pcap && grep -c served report'
try 'packet_gate - $with --verdicts - <a.pcap 2>report | cmp - verdicts.txt && grep -c served report'
try 'packet_gate a.pcap $with --verdicts - --output -'
if command -v tcpdump >/dev/null; then
    tcpdump -n -r served.pcap 2>/dev/null | wc -l >counted
    grep -c ' served ' verdicts.txt | cmp - counted
fi

note "nanoseconds stay; lines give lines"
{
    printf '\115\074\262\241\002\0\004\0\0\0\0\0\0\0\0\0\377\377\0\0\145\0\0\0'
    printf '\001\0\0\0\001\002\003\004\027\0\0\0\027\0\0\0'
    printf '\105\0\0\027\0\001\0\0\100\001\0\0\012\0\0\001\300\0\002\001abc'
} >nano.pcap
try 'packet_gate nano.pcap --output out.pcap --seed 1 >report && cmp nano.pcap out.pcap'
printf '1 2\n0x0a000001 7\n10.0.0.2 0x41424344\n' >packets.txt
printf '10.0.0.1\n' >deny.txt
try 'packet_gate --lines packets.txt --deny deny.txt --output - --seed 1 2>report'
try 'packet_gate --lines packets.txt --deny deny.txt --verdicts - --seed 1 2>report'

note "nothing is written over"
try 'packet_gate a.pcap --output a.pcap'
ln -s a.pcap link.pcap
try 'packet_gate a.pcap --output link.pcap'
try 'packet_gate a.pcap --patterns t/patterns.txt --verdicts t/patterns.txt'
try 'packet_gate a.pcap --output x --verdicts x'
try 'packet_gate a.pcap --output /dev/full >report'
try 'packet_gate a.pcap --output missing/x.pcap'

note "ten thousand patterns of 2 to 65 bytes, in one packet or over several"
quietly packet_gate generate -o a.pcap --packets $packets --sources 300 --patterns 10000 --length 2-65 --seed 7 --folder t
try 'packet_gate a.pcap --patterns t/patterns.txt --deny t/deny.txt --ask t/truth.txt --answers answers.txt --exact --seed 1 >report; diff t/truth.txt answers.txt; grep "exact verdicts" report'
