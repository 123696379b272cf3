# SPDX-License-Identifier: MIT
# The man pages are sound roff.
needs mandoc
for program in ultrafilter ultrafilter-lab; do
    for command in '' $(commands $program); do
        # shellcheck disable=SC2086
        $program --generate man $command >page
        mandoc -T lint -W error page || echo "the page of '$program $command' has errors"
        mandoc -T ascii page | sed "s/.$(printf "\\b")//g" >text
        for section in NAME SYNOPSIS DESCRIPTION 'EXIT STATUS'; do
            grep -q "^$section" text || echo "the page of '$program $command' has no $section"
        done
    done
done
echo "no errors in any page"
