# shellcheck shell=sh
# SPDX-License-Identifier: MIT
# For all tests: an empty folder to be in, 1000 keys, and comparisons that say what differs.
set -eu
folder=${AUTOPKGTEST_TMP:-$(mktemp -d)}
[ -n "${AUTOPKGTEST_TMP:-}" ] || trap 'rm -rf "$folder"' EXIT
cd "$folder"
seq -f 'user%g@example.org' 1000 >keys
seq -f 'other%g@example.org' 1000 >others

# is WHAT GOT EXPECTED
is() {
    [ "$2" = "$3" ] || {
        echo "FAILED: $1: \"$2\" instead of \"$3\"" >&2
        exit 1
    }
    echo "ok: $1"
}
