#!/bin/sh
# SPDX-License-Identifier: MIT
# What programs see of both libraries. The shared one exports exactly the names that the header declares, which are the
# list in tests/symbols.txt: a name that comes or goes is seen in a diff. The objects of the static one define those and
# names that start with ufi_, so that none can clash with one of the program's own.
# usage: symbols.sh HEADER LIST SHARED-LIBRARY STATIC-LIBRARY
set -eu
LC_ALL=C
export LC_ALL
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

# A declaration is UF_API, a type, and a name before "(".
sed -n 's/^UF_API .*[ *]\(uf_[a-z0-9_]*\)(.*/\1/p' "$1" | sort >"$dir/declared"
count=$(wc -l <"$dir/declared")
if [ "$count" -ne "$(grep -c '^UF_API ' "$1")" ] || [ "$count" -lt 20 ]; then
    echo "symbols.sh does not understand every declaration of $1" >&2
    exit 1
fi

# names NM-OPTION LIBRARY: the global names it defines. A sanitizer's own are not ours.
names() {
    nm "$1" --defined-only "$2" | awk 'NF == 3 && $2 != "A" { sub(/@.*/, "", $3); print $3 }' |
        grep -v '^_*\(asan\|odr_asan\|ubsan\|tsan\)' | sort -u
}

status=0
cp "$2" "$dir/list"
names -D "$3" >"$dir/shared"
names -g "$4" >"$dir/objects"
grep '^uf_' "$dir/objects" >"$dir/static"
for form in list shared static; do
    diff -u "$dir/declared" "$dir/$form" || {
        echo "functions declared (-) and in the $form (+) differ" >&2
        status=1
    }
done

if grep -v '^ufi\{0,1\}_' "$dir/objects" >"$dir/bare"; then
    echo "names without a prefix in the static library: make them static, or add these lines to src/core/namespace.h" >&2
    echo "in their place (tools/namespace does that):" >&2
    sed 's/.*/#define & ufi_&/' "$dir/bare" >&2
    status=1
fi
[ $status -eq 0 ] && echo "$count functions, declared, listed and exported alike"
exit $status
