# SPDX-License-Identifier: MIT
# The program before any command: help, version, and names that were mistyped.
try 'ultrafilter'
try 'ultrafilter --help | head -n 1'
try 'ultrafilter --version | sed "s/ [0-9.]*$/ VERSION/"'
try 'ultrafilter help query | head -n 1'
try 'ultrafilter help help | head -n 1'
for name in qurey biuld buld inset mrege infos pln que b x '' quit exterminate Query; do
    try "ultrafilter '$name'"
done
try 'ultrafilter --hlep'
try 'ultrafilter --verison'
try 'ultrafilter -x'
try 'ultrafilter help qurey'
for command in attack 'game 2' audit 'reproduce --out x'; do
    try "ultrafilter $command"
done
try 'ultrafilter help attack'
for option in '--adversarial-share 0.1' --model-bytes=1 --model-fpr --model-fnr; do
    try "ultrafilter plan -n 1000 $option"
done
for option in --cuont --invrt --thread --jsn --formt --help-me --early --mmap=1 --count=3 --format --format= --format=xml --x; do
    try "ultrafilter query $option"
done
try 'ultrafilter --generate'
try 'ultrafilter --generate csh'
try 'ultrafilter --generate man nothing'

note "the lab"
try 'ultrafilter-lab'
try 'ultrafilter-lab --version | sed "s/ [0-9.]*$/ VERSION/"'
try 'ultrafilter-lab atack'
try 'ultrafilter-lab build'
try 'ultrafilter-lab game --leak-keys'
try 'ultrafilter-lab --generate csh'

note "a full disk under stdout is an error"
for command in --help --version 'help build' 'plan -n 1000' 'plan -n 1000 --json' '--generate man' '--generate bash'; do
    try "ultrafilter $command >/dev/full"
done
try 'ultrafilter --version >&-'
