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
for option in --cuont --invrt --thread --jsn --formt --help-me --early --mmap=1 --count=3 --format --format= --format=xml --x; do
    try "ultrafilter query $option"
done
try 'ultrafilter --generate'
try 'ultrafilter --generate csh'
try 'ultrafilter --generate man nothing'

note "a full disk under stdout is an error"
for command in --help --version 'help build' 'plan -n 1000' 'plan -n 1000 --json' '--generate man' '--generate bash'; do
    try "ultrafilter $command >/dev/full"
done
try 'ultrafilter --version >&-'
