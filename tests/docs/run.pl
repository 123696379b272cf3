#!/usr/bin/perl
# SPDX-License-Identifier: MIT
# Runs a page of the documentation as its reader would: its blocks in order, as printed, in one empty folder.
#
#   ```sh              runs with bash -eu; what it prints is compared with a ```text block that follows at once
#   <!-- sh ... -->    the same, unseen: files that a page takes for granted
#   ```sh slow         only with UF_TEST_FULL=1; otherwise its commands and options are looked up
#   ```sh checkout     the same in the source folder; with "dry" as third word, make only says what it would do
#   ```c NAME          is put into the file NAME, and so is any other language with a name
#   ```text            what the block before it prints; a line of "..." stands for any lines, ... in a line for any text
#
# A command in an indented block is an error: it would not be run. Commands in running text, `ultrafilter CMD --option`, must name a command and options that there are.
# usage: run.pl PAGE SOURCE BUILD
use strict;
use warnings;
use Cwd 'abs_path';
use File::Temp 'tempdir';

my ($page, $source, $build) = @ARGV;
($source, $build) = map { abs_path($_) } $source, $build;
my $home = tempdir(CLEANUP => 1);
mkdir "$home/page" or die "$home/page: $!\n";
my $failed = 0;
my $ran    = 0;

$ENV{HOME}    = $home;
$ENV{BUILD}   = $build;
$ENV{PATH}    = "$home/.local/bin:$build:$ENV{PATH}";
$ENV{LC_ALL}  = 'C.UTF-8';
delete @ENV{qw(MAKEFLAGS MAKELEVEL MFLAGS)};

sub complain {
    my ($line, $text) = @_;
    print "$page:$line: $text\n";
    $failed = 1;
}

sub blocks {
    open my $file, '<', $page or die "$page: $!\n";
    my (@blocks, $block, $prose);
    while (my $line = <$file>) {
        if (!$block && $line =~ /^<!-- sh$/) {
            $block = {line => $., language => 'sh', words => [], text => ''};
        } elsif ($line =~ /^```(.*)$/ || $line =~ /^-->$/) {
            if ($block) { push @blocks, $block; undef $block; next; }
            my @words = split ' ', $1 // '';
            $block = {line => $., language => shift @words // '', words => \@words, text => ''};
        } elsif ($block) {
            $block->{text} .= $line;
        } else {
            push @blocks, {line => $., language => 'prose', words => [], text => $line} if $line =~ /\S/;
        }
    }
    complain($block->{line}, 'this block has no end') if $block;
    return @blocks;
}

sub run {
    my ($block) = @_;
    my ($where, $dry) = @{$block->{words}};
    if (($where // '') eq 'slow' && !$ENV{UF_TEST_FULL}) {
        check_words({%$block, text => join '', map { "`$_`\n" } $block->{text} =~ /^(ultrafilter.*)$/mg});
        return;
    }
    my $folder = ($where // '') eq 'checkout' ? $source : "$home/page";
    local $ENV{MAKEFLAGS} = 'n' if ($dry // '') eq 'dry';
    open my $script, '>', "$home/block" or die;
    print $script $block->{text};
    close $script;
    my $output = qx(cd '$folder' && bash -eu '$home/block' 2>&1 </dev/null);
    complain($block->{line}, 'exit status ' . ($? >> 8) . ", and it printed:\n$output") if $?;
    $ran++;
    return $output;
}

# "..." is the reader's, everything else is exact.
sub pattern {
    my ($text) = @_;
    my $pattern = join '', map { $_ eq "...\n" ? '(?s:.*)' : join('.*', map { quotemeta } split /\.\.\./, $_, -1) }
      split /(?<=\n)/, $text;
    return qr/\A$pattern\z/;
}

# Every option of a command, from its own --help.
my %help;
sub options_of {
    my ($program, $command) = @_;
    return $help{"$program $command"} //= {map { $_ => 1 } qx($program $command --help 2>/dev/null) =~ /(?<![\w-])(--?[A-Za-z0-9][\w-]*)/g};
}

sub check_words {
    my ($block) = @_;
    while ($block->{text} =~ /`(ultrafilter(?:-lab)?) ([a-z]+)([^`']*)/g) {
        my ($program, $command, $rest) = ($1, $2, $3);
        next if $command eq 'help';
        my $known = options_of($program, $command);
        complain($block->{line}, "there is no '$program $command'") unless %$known;
        for my $option ($rest =~ /(?<=\s)(--?[A-Za-z0-9][\w-]*)/g) {
            complain($block->{line}, "'$program $command' has no option $option") if %$known && !$known->{$option};
        }
    }
}

my $output;
for my $block (blocks()) {
    my $language = $block->{language};
    if ($language eq 'sh') {
        $output = run($block);
        next;
    } elsif ($language eq 'text' && defined $output) {
        complain($block->{line}, "this was printed instead:\n$output") if $output !~ pattern($block->{text});
    } elsif ($language eq 'prose') {
        check_words($block);
        complain($block->{line}, 'a command outside of a block, which nothing runs') if $block->{text} =~ /^ {4}(\$ )?ultrafilter(-lab)? [a-z]/;
    } elsif ($language =~ /^(|console|bash|shell)$/) {
        complain($block->{line}, "a block of '$language' is not run by anything: call it sh, or text");
    } elsif (@{$block->{words}}) {
        open my $file, '>', "$home/page/$block->{words}[0]" or die "$block->{words}[0]: $!\n";
        print $file $block->{text};
        close $file;
    }
    undef $output;
}
print "$page: $ran blocks run\n";
exit $failed;
