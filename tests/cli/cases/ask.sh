# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2016
# One answer for each key, keys on the command line, several filters at once. A rate of 1e-9 keeps false positives away.
printf 'alice\nbob\nCarol\n' >members
build f.uf "$(seeded blocked 100 1e-9)" <members
quietly ultrafilter build -o g.uf --lowercase --kind bloom -p 1e-9 members

note "--answers"
try 'printf "alice\nmallory\n\nbob" | ultrafilter query --answers f.uf'
try 'printf "bob\0a\nb\0" | ultrafilter query -0 --answers f.uf | od -An -c'
try 'printf "bob\r\nx\r\n" | ultrafilter query --answers --crlf strip f.uf | od -An -c'
try 'printf "1,bob\n2,\"x,y\"\n" | ultrafilter query --answers --field 2 f.uf'
try 'printf "bobxyz" | ultrafilter query --answers --binary 3 f.uf'
try 'echo mallory | ultrafilter query --answers f.uf'
try 'ultrafilter query --answers f.uf </dev/null'
seq 100000 >many
try 'ultrafilter query --answers f.uf many | cut -f 1 | cmp - many && echo "all of them, in their order"'
try 'ultrafilter query --answers f.uf members >/dev/full'
for other in -c -v -q --json; do
    try "ultrafilter query --answers $other f.uf members"
done

note "a coprocess: a line goes in, its answer comes out, five hundred times"
mkfifo in out
timeout 60 ultrafilter query --answers f.uf <in >out &
exec 3>in 4<out
right=0
for i in $(seq 250); do
    echo bob >&3
    read -r answer <&4
    [ "$answer" != "bob	1" ] || right=$((right + 1))
    echo "$i" >&3
    read -r answer <&4
    [ "$answer" != "$i	0" ] || right=$((right + 1))
done
printf 'two\nalice\nha' >&3
read -r first <&4
read -r second <&4
echo "lf" >&3
read -r third <&4
exec 3>&- 4<&-
wait $! && echo "it ended with 0"
echo "$right right; then $first, $second, $third"
if command -v bash >/dev/null; then
    try 'bash -c '\''coproc { ultrafilter query --answers f.uf --also g.uf; }
for key in carol Carol bob; do echo "$key" >&${COPROC[1]}; read -r line <&${COPROC[0]}; echo "$line"; done'\'
fi

note "-e"
try 'ultrafilter query f.uf -e alice -e mallory'
try 'yes | ultrafilter query f.uf -ebob --key=Carol'
try 'ultrafilter query -q f.uf -e mallory'
try 'ultrafilter query f.uf -e mallory members'
try 'echo bob | ultrafilter query --answers f.uf -e -e - members'
try 'ultrafilter query --answers -0 f.uf -e "$(printf "alice\nbob")" | tr "\000" "|"; echo'
try 'ultrafilter query f.uf -e "$(printf "alice\nbob")"'
try 'ultrafilter query f.uf --hex -e 626f62'
try 'ultrafilter query f.uf -e ""'
try 'ultrafilter query f.uf -e'
try 'ultrafilter query --column k f.uf -e bob'
try 'ultrafilter query --answers f.uf -e "$(printf "\037\213\010 packed?")" | od -An -c'
try 'ultrafilter query f.uf alice'
try 'ultrafilter insert f.uf members alice'
try 'ultrafilter insert -q f.uf -e dave -e file:f.uf && ultrafilter query f.uf -e dave -e file:f.uf'

note "several filters"
try 'printf "alice\nCAROL\nmallory\n" | ultrafilter query f.uf --also g.uf'
try 'printf "alice\nCAROL\nmallory\n" | ultrafilter query f.uf --also g.uf --answers'
try 'printf "alice\nCAROL\nmallory\n" | ultrafilter query g.uf --also f.uf --also g.uf --answers'
try 'printf "alice\nCAROL\nmallory\n" | ultrafilter query -v f.uf --also g.uf'
try 'printf "alice\nCAROL\nmallory\n" | ultrafilter query -c f.uf --also g.uf'
try 'printf "alice\nCAROL\nmallory\n" | ultrafilter query -cv f.uf --also g.uf'
try 'printf "alice\nCAROL\nmallory\n" | ultrafilter query --json f.uf --also g.uf'
try 'ultrafilter query -q f.uf --also g.uf -e CAROL'
try 'ultrafilter query f.uf --also g.uf -e mallory'
try 'cat g.uf | ultrafilter query f.uf --also - -e carol'
try 'printf "bob\r\n" | ultrafilter query --answers f.uf --also g.uf'
try 'ultrafilter query -c f.uf --also g.uf many'
printf 'bob\r\n' | quietly ultrafilter build -o cr.uf --crlf keep -p 1e-9
try 'printf "bob\r\n" | ultrafilter query f.uf --also cr.uf --answers --crlf strip'
try 'printf "bob\r\n" | ultrafilter query cr.uf --also f.uf --answers'
try 'ultrafilter query f.uf --also missing.uf members'
try 'ultrafilter query f.uf --also g.uf --signature s members'
try 'ultrafilter keygen -q -o a.key; cat f.uf | ultrafilter query --mac --key-file a.key - -e bob'
