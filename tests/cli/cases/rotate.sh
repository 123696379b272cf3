# SPDX-License-Identifier: MIT
# Filters whose keys expire: generations, and what is in them after they were rotated.
seq 1000 >mon
seq 901 1900 >tue
seq 2001 2500 >wed
known_key key 1

note "a window of three: what was inserted on Monday and again on Tuesday lives on"
try 'ultrafilter build -o seen.uf --spec bloom:n=1000,fpr=1e-6,seed=0x5eed,window=3 mon'
try 'ultrafilter rotate seen.uf && ultrafilter insert seen.uf tue && ultrafilter rotate seen.uf && ultrafilter insert seen.uf wed'
try 'ultrafilter info seen.uf | grep -A1 "Keys  \|Generations"'
try 'for day in mon tue wed; do ultrafilter query -c seen.uf $day; done'
try 'ultrafilter rotate seen.uf'
try 'for day in mon tue wed; do ultrafilter query -c seen.uf $day; done'
try 'ultrafilter rotate --json seen.uf | grep -E "left|expired"'
try 'for day in mon tue wed; do ultrafilter query -c seen.uf $day; done'
try 'ultrafilter info --json seen.uf | jq -c ".generations | map(.count_estimate | round)"'

note "full: the newest generation"
try 'ultrafilter build -q -o full.uf --window 4 -n 1000 --full refuse mon; cp full.uf copy; ultrafilter insert full.uf wed; cmp full.uf copy'
try 'ultrafilter rotate -q full.uf && ultrafilter insert -q full.uf wed && ultrafilter query -c full.uf mon wed'
try 'ultrafilter info full.uf | grep -A1 "When full"'
try 'ultrafilter build -q -o warn.uf --window 2 -n 300 -p 0.01 --kind bloom wed 2>&1 | grep -o "keys in a generation planned for 300"'

note "keyed, like another, and what cannot be"
try 'ultrafilter build -q -o k.uf --key-file key --window 2 -n 1000 mon && ultrafilter rotate -q --key-file key k.uf && ultrafilter query -c --key-file key k.uf mon; ultrafilter rotate k.uf'
try 'ultrafilter build -q -o twin.uf --like seen.uf wed && ultrafilter query -c twin.uf wed; ultrafilter merge -o both.uf seen.uf twin.uf'
try 'ultrafilter build -q -o plain.uf mon; ultrafilter rotate plain.uf'
try 'ultrafilter build -o no.uf --window 33 mon; ultrafilter build -o no.uf --window 2 --full scale mon; ultrafilter build -o no.uf --window 2 --kind ribbon mon'
