# SPDX-License-Identifier: MIT
# Completions, asked as the shells ask them. Without zsh or fish only bash is.
needs bash
ultrafilter --generate bash >completion.bash
ultrafilter --generate zsh >completion.zsh
ultrafilter --generate fish >completion.fish
bash -n completion.bash
! command -v zsh >/dev/null || zsh -n completion.zsh
! command -v fish >/dev/null || fish -n completion.fish

cat >ask.bash <<'END'
source ./completion.bash
COMP_WORDS=("$@")
COMP_CWORD=$(($# - 1))
_ultrafilter
echo "${COMPREPLY[*]}"
END
touch words.txt words.uf
ask() { try "bash ask.bash $*"; }
ask ultrafilter "''"
ask ultrafilter qu
ask ultrafilter help in
ask ultrafilter query --
ask ultrafilter query --e
ask ultrafilter build --kind "''"
ask ultrafilter build --kind b
ask ultrafilter build --kind = r
ask ultrafilter build --progress = "''"
ask ultrafilter build -n "''"
ask ultrafilter build -o words.t
ask ultrafilter query words.u
ask ultrafilter merge --in-format "''"
ask ultrafilter game "''"
ask ultrafilter game st
ask ultrafilter game set-release --tr
ask ultrafilter attack p
ask ultrafilter attack forge --target "''"
