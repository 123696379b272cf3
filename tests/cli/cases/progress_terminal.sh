# SPDX-License-Identifier: MIT
# On a terminal the line comes after a second, not before; -q, --progress=never and quick work stay silent.
needs script
seq 2000 >keys
build f.uf "$(seeded blocked 2000 1e-9)" <keys
slow='{ echo 1; sleep 1.3; echo 2; echo 3; } |'

# on_terminal COMMAND: its output, with carriage returns and spaces made visible as far as they matter.
on_terminal() { script -qec "$1" /dev/null </dev/null | tr '\r' '\n' | sed 's/ *$//; s/[0-9.]* *keys\/s/RATE/; s/[0-9]* keys/N keys/' | grep .; }
try 'on_terminal "ultrafilter query -c f.uf keys"'
try 'on_terminal "$slow ultrafilter query -c f.uf"'
try 'on_terminal "$slow ultrafilter query -c --progress=never f.uf"'
try 'on_terminal "$slow ultrafilter query f.uf"'
try 'on_terminal "ultrafilter query -c --progress=always f.uf keys" | sed "s/[.#]*\]/BAR]/"'
