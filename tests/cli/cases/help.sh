# SPDX-License-Identifier: MIT
# --help of every command, word for word; and man pages and completions know every option that it shows.
commands=$(commands)

# The long options in a help text, one a line.
options_in() { sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p'; }

try 'ultrafilter --help'
for command in $commands; do
    try "ultrafilter $command --help"
done
try 'ultrafilter query -h >a; ultrafilter query --help >b; cmp a b'
try 'ultrafilter help build >a; ultrafilter build --help >b; cmp a b'
try 'ultrafilter build --help -x'
try 'ultrafilter merge --kind --help'

note "no line is longer than a terminal is wide"
for command in "" $commands; do
    ultrafilter $command --help | awk -v name="$command" 'length($0) > 80 { print name ": " $0 }'
done

note "every option of --help is in the man page and in each completion"
ultrafilter --generate bash >completion.bash
ultrafilter --generate zsh >completion.zsh
ultrafilter --generate fish >completion.fish
for command in $commands; do
    ultrafilter --generate man "$command" | sed 's/\\-/-/g' >page
    sed -n "/^    $command)/p" completion.bash >bash
    sed -n "/^    $command)/,/;;/p" completion.zsh >zsh
    grep "__fish_seen_subcommand_from $command'" completion.fish >fish
    count=0
    for option in $(ultrafilter "$command" --help | options_in); do
        count=$((count + 1))
        grep -q -e "$option\\\\fR" page || echo "$command: $option is not in the man page"
        grep -q -e "$option " bash || echo "$command: $option is not completed by bash"
        grep -q -e "[{,']$option[]=}[]" zsh || echo "$command: $option is not completed by zsh"
        grep -q -e "-l ${option#--} " fish || echo "$command: $option is not completed by fish"
    done
    echo "$command: $count options"
done
for command in $commands; do
    ultrafilter --generate man | grep -q "^.BR ultrafilter.-$command " || echo "ultrafilter(1) does not name $command"
done
