# SPDX-License-Identifier: MIT
# shellcheck shell=sh disable=SC2016
# While a key is rotated both are given, and each filter takes its own.
mask_ids() { sed 's/\(id of that one is\|key given is\) [0-9a-f]*/\1 ID/g'; }
printf 'alice\nbob\n' >members
for key in old new third; do quietly ultrafilter keygen -o "$key.key"; done
quietly ultrafilter build -o old.uf -n 100 -p 1e-9 --key-file old.key members
quietly ultrafilter rebuild -o new.uf --like old.uf --key-file new.key members

note "both keys, in either order"
try 'ultrafilter query --key-file old.key --key-file new.key old.uf members'
try 'ultrafilter query --key-file old.key --key-file new.key new.uf members'
try 'ultrafilter query --key-file new.key --key-file old.key new.uf --also old.uf --answers -e bob -e x'
try 'for f in old new; do ultrafilter insert -q --key-file old.key --key-file new.key $f.uf -e zed; done'
try 'ultrafilter query --key-file old.key --key-file new.key new.uf --also old.uf -e zed'
try 'ultrafilter query --key-file new.key new.uf -e zed'
try 'ultrafilter info --key-file old.key --key-file new.key new.uf | grep -c "and this is it"'
try 'ultrafilter merge -q -o - --key-file old.key --key-file new.key new.uf | cmp - new.uf && echo "the same"'

note "neither fits; one of them is none"
try 'ultrafilter query --key-file old.key --key-file third.key new.uf members 2>&1 | mask_ids'
try 'ultrafilter query --key-file old.key --key-file missing.key old.uf members'

note "what makes or signs something takes one"
try 'ultrafilter build -o x.uf -n 9 --key-file old.key --key-file new.key members'
try 'ultrafilter rebuild -o x.uf --like old.uf --key-file old.key --key-file new.key members'
try 'ultrafilter sign --key-file old.key --key-file new.key old.uf'
try 'ultrafilter query --mac --key-file old.key --key-file new.key old.uf members'
