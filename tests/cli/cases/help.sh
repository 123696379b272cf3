# SPDX-License-Identifier: MIT
# --help of every command, word for word; and man pages and completions know every option that it shows.

# The long options in a help text, one a line.
options_in() { sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p'; }

# documented PROGRAM COMMAND: counts the options of --help, and names those that are missing elsewhere.
documented() {
    $1 --generate man "$2" | sed 's/\\-/-/g' >page
    sed -n "/^    $2)/p" completion.bash >bash
    sed -n "/^    $2)/,/;;/p" completion.zsh >zsh
    grep "__fish_seen_subcommand_from $2'" completion.fish >fish
    count=0
    for option in $($1 "$2" --help | options_in); do
        count=$((count + 1))
        grep -q -e "$option\\\\fR" page || echo "$2: $option is not in the man page"
        grep -q -e "$option " bash || echo "$2: $option is not completed by bash"
        grep -q -e "[{,']$option[]=}[]" zsh || echo "$2: $option is not completed by zsh"
        grep -q -e "-l ${option#--} " fish || echo "$2: $option is not completed by fish"
    done
    echo "$2: $count options"
    $1 --generate man | sed 's/\\-/-/g' | grep -q "^.BR $1-$2 " || echo "$1(1) does not name $2"
}

for program in ultrafilter ultrafilter-lab; do
    try "$program --help"
    for command in $(commands $program); do
        try "$program $command --help"
    done
done
try 'ultrafilter query -h >a; ultrafilter query --help >b; cmp a b'
try 'ultrafilter help build >a; ultrafilter build --help >b; cmp a b'
try 'ultrafilter-lab help game >a; ultrafilter-lab game --help >b; cmp a b'
try 'ultrafilter build --help -x'

note "pages of docs/, whole or one section, as claims cite them"
for page in "$SOURCE"/docs/*.md; do
    name=$(basename "$page" .md)
    sed '/^<!-- sh$/,/^-->$/d' "$page" >page
    ultrafilter help "$name" | cmp - page || echo "help $name is another page"
done
try 'ultrafilter help docs/privacy.md#ledger | head -n 1'
try 'ultrafilter help privacy#nothing'
note "what people type first"
for word in create add check contains count stats convert del; do
    try "ultrafilter $word"
done
try 'ultrafilter merge --kind --help'

for program in ultrafilter ultrafilter-lab; do
    note "$program: no line is longer than a terminal is wide"
    for command in "" $(commands $program); do
        # shellcheck disable=SC2086
        $program $command --help | awk -v name="$command" 'length($0) > 80 { print name ": " $0 }'
    done

    note "$program: every option of --help is in the man page and in each completion"
    for shell in bash zsh fish; do $program --generate $shell >completion.$shell; done
    for command in $(commands $program); do documented $program "$command"; done
done
