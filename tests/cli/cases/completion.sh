# SPDX-License-Identifier: MIT
# Completions as the three shells load them, from a file of the name that is installed, and asked as they ask.
# All three must be there: tools/packages has them.
mkdir bash zsh fish
for program in ultrafilter ultrafilter-lab; do
    $program --generate bash >bash/$program
    $program --generate zsh >zsh/_$program
    $program --generate fish >fish/$program.fish
    bash -n bash/$program
    zsh -n zsh/_$program
    fish -n fish/$program.fish
done
touch words.txt words.uf

cat >ask.bash <<'END'
source "bash/$1"
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
$(complete -p "$1" | sed 's/.* -F \([^ ]*\) .*/\1/')
echo "${COMPREPLY[*]}"
END

# A shell behind a terminal of its own, as a user has it, with its own completion system. What it would offer goes into
# the file `hits`, and `done` follows when it has answered. Ctrl-U clears the line before.
cat >ask.zsh <<'END'
wait_for() { for i in {1..1000}; do [[ -e $1 ]] && return; sleep 0.03; done; print "no file $1"; exit 1 }
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PROMPT=; fpath=($PWD/zsh \$fpath); autoload -Uz compinit; compinit -D -u; bindkey '^I' complete-word"
zpty -w shell 'compadd() {
    if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
    local -a found; builtin compadd -A found "$@"; print -lr -- $found >>hits; builtin compadd "$@" }'
zpty -w shell 'answered() { comppostfuncs=(answered); print >done }; answered; print >ready'
wait_for ready
for line; do
    rm -f done
    : >hits
    zpty -w -n shell $'\C-u'"$line"$'\t'
    wait_for done
    print -r -- "zsh: $line"
    print -- ${(f)"$(sort -u hits)"}
done
zpty -d shell
END

# The completion of each line, where it ends.
ask_bash() { try "bash ask.bash $*"; }
ask_zsh() { zsh -f ask.zsh "$@"; }
ask_fish() {
    for line; do
        printf 'fish: %s\n' "$line"
        # shellcheck disable=SC2016
        LINE=$line fish --no-config -c 'set fish_complete_path $PWD/fish; complete -C $LINE' | cut -f 1 | sort | tr '\n' ' '
        echo
    done
}

ask_bash ultrafilter "''"
ask_bash ultrafilter qu
ask_bash ultrafilter help in
ask_bash ultrafilter query --
ask_bash ultrafilter query --e
ask_bash ultrafilter build --kind "''"
ask_bash ultrafilter build --kind b
ask_bash ultrafilter build --kind = r
ask_bash ultrafilter build --progress = "''"
ask_bash ultrafilter build -n "''"
ask_bash ultrafilter build -o words.t
ask_bash ultrafilter query words.u
ask_bash ultrafilter merge --in-format "''"
ask_bash ultrafilter publish --mechanism "''"
ask_bash ultrafilter-lab "''"
ask_bash ultrafilter-lab game "''"
ask_bash ultrafilter-lab game st
ask_bash ultrafilter-lab game set-release --tr
ask_bash ultrafilter-lab game 1 --kind "''"
ask_bash ultrafilter-lab attack p
ask_bash ultrafilter-lab attack forge --target "''"
ask_bash ultrafilter-lab attack mutate --positives words.t
ask_bash ultrafilter-lab audit --mechanism "''"

for shell in zsh fish; do
    ask_$shell 'ultrafilter ' 'ultrafilter qu' 'ultrafilter help in' 'ultrafilter query --e' 'ultrafilter query --' \
        'ultrafilter build --kind b' 'ultrafilter build --kind=r' 'ultrafilter build --progress ' \
        'ultrafilter build -o words.t' 'ultrafilter query words.u' 'ultrafilter merge --in-format ' \
        'ultrafilter publish --mechanism ' 'ultrafilter-lab ' 'ultrafilter-lab re' 'ultrafilter-lab game st' \
        'ultrafilter-lab game 1 --kind ' 'ultrafilter-lab attack p' 'ultrafilter-lab attack forge --target ' \
        'ultrafilter-lab audit --mechanism ' 'ultrafilter-lab hybrid --model'
done
