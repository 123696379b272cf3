# SPDX-License-Identifier: MIT
# The man pages are sound roff.
needs mandoc
for command in '' $(commands); do
    # shellcheck disable=SC2086
    ultrafilter --generate man $command >page
    mandoc -T lint -W error page || echo "the page of '$command' has errors"
    mandoc -T ascii page | sed "s/.$(printf "\\b")//g" >text
    for section in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS'; do
        grep -q "^$section" text || echo "the page of '$command' has no $section"
    done
done
echo "no errors in any page"
