# SPDX-License-Identifier: MIT
# Progress goes to stderr, never to stdout; unasked only to a terminal, and only after a second.
seq 200000 >keys
build f.uf "$(seeded blocked 200000 0.01)" <keys

note "not a terminal: nothing"
try 'seq 200000 | ultrafilter build -q -o g.uf --kind ribbon'
try 'ultrafilter query f.uf keys | cmp - keys'
try '{ echo 1; sleep 1.2; echo 2; } | ultrafilter query f.uf'

note "always: on stderr only, and cleared at the end"
try 'ultrafilter query --progress=always f.uf keys 2>err | cmp - keys'
try 'tr "\r" "\n" <err | grep -c querying >/dev/null && tr "\r" "\n" <err | tail -n 1 | tr -d " "'
try 'ultrafilter build --progress=always -q -o g.uf keys 2>err; tr "\r" "\n" <err | grep -q building'
try 'ultrafilter insert --progress always f.uf keys 2>err; tr "\r" "\n" <err | grep -q inserting'
try 'seq 200000 | ultrafilter query -c --progress=always f.uf 2>err; tr "\r" "\n" <err | grep -q "querying .* keys/s"'

note "never"
try 'ultrafilter query -c --progress=never f.uf keys'
