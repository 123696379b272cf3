#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# usage: age-header.pl older|newer <ultrafilter.h
# The header as it was, or may be one day: every struct that can grow without its last field, or with one more. Those that
# stay as they are for good are named here.
use strict;
use warnings;
my $age = shift;
my %frozen = map { $_ => 1 } qw(uf_key uf_spec uf_error uf_allocator uf_verify_key uf_digest);
local $/;
my $text = <STDIN>;
my $count = 0;

# The last field, with what may stand behind it.
sub drop_last {
    my ($body) = @_;
    $body =~ s{\n[^\n;]*;[^\n]*\n(\s*/\*(?:(?!\*/).)*\*/\n)?$}{\n}s or die "no last field in: $body";
    return $body;
}

$text =~ s{typedef struct (uf_\w+) \{\n(.*?)\} \1;}{
    my ($name, $body) = ($1, $2);
    if (!$frozen{$name}) {
        $count++;
        $body = $age eq 'older' ? drop_last($body) : "$body    uint64_t from_the_future;\n";
    }
    "typedef struct $name {\n$body} $name;"
}gse;

# Initializers list every field: one zero fewer or more.
$text =~ s{(sizeof\(uf_\w+\)[^\n]*?)(, [^,\n]+?)(\s*\\\n\s*\})}{ $age eq 'older' ? "$1$3" : "$1$2, 0$3" }gse;
die "only $count structs\n" if $count < 10;
print $text;
