# SPDX-License-Identifier: MIT
# A folder that may not be written into is noticed before the keys are read.
seq 1000 >keys
mkdir closed
build closed/old.uf "$(seeded bloom 1000 0.01)" <keys
cp closed/old.uf copy
chmod 555 closed
# Root may write everywhere, unless it gives that up.
ordinary=
if [ "$(id -u)" -eq 0 ]; then
    ordinary='setpriv --bounding-set -dac_override,-dac_read_search'
    $ordinary true 2>/dev/null || skip "root without setpriv cannot be refused anything"
fi
as_user() { $ordinary "$@"; }

try 'yes | as_user ultrafilter build -o closed/new.uf'
try 'as_user ultrafilter build -o closed/old.uf keys'
try 'yes | as_user ultrafilter insert closed/old.uf'
try 'as_user ultrafilter merge -o closed/new.uf closed/old.uf'
try 'as_user ultrafilter query -c closed/old.uf keys'
try 'chmod 000 copy; as_user ultrafilter query -c copy keys'
try 'ls -A closed'
chmod 755 closed
