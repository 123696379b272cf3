# SPDX-License-Identifier: MIT
# What cannot be printed is an error: a count that a script never sees must not end with status 0.
seq 1000 >keys
build f.uf "$(seeded bloom 1000 0.01)" <keys
try 'ultrafilter query f.uf keys >/dev/full'
try 'ultrafilter query -j 4 f.uf keys >/dev/full'
try 'seq 1000000 | ultrafilter query f.uf >/dev/full'
try 'ultrafilter query -c f.uf keys >/dev/full'
try 'ultrafilter query -c --json f.uf keys >/dev/full'
try 'ultrafilter query -q f.uf keys >/dev/full'
try 'echo 0 | ultrafilter query f.uf >/dev/full'
try 'ultrafilter info f.uf >/dev/full'
try 'ultrafilter info --json f.uf >/dev/full'
try 'ultrafilter insert f.uf keys >/dev/full'
try 'ultrafilter insert -q f.uf keys >/dev/full'
try 'ultrafilter merge -o g.uf f.uf >/dev/full'

note "closed"
try 'ultrafilter query f.uf keys >&-'
try 'ultrafilter query -c f.uf keys >&-'
try 'ultrafilter query -q f.uf keys >&-'
try 'ultrafilter build -o g.uf keys >&-; ultrafilter query -c g.uf keys'
try 'ultrafilter query -c f.uf keys 2>&-'
try 'ultrafilter query -c missing.uf keys 2>&-'
