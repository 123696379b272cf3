#!/bin/sh
# SPDX-License-Identifier: MIT
# Both libraries give a program exactly the names that the header declares: the shared one exports no more and no
# fewer, and the static one has no other name that could clash with one of the program's own.
# And they are those of a list that is kept in tests/symbols.txt, so that a name that comes or goes shows in a diff.
# usage: symbols.sh HEADER SHARED-LIBRARY STATIC-LIBRARY LIST
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
        grep -v '^_*\(asan\|odr_asan\|ubsan\|tsan\)' | sort
}

status=0
names -D "$2" >"$dir/shared"
names -g "$3" >"$dir/static"
for form in shared static; do
    diff -u "$dir/declared" "$dir/$form" || {
        echo "functions declared (-) and in the $form library (+) differ" >&2
        status=1
    }
done
diff -u "$4" "$dir/declared" || {
    echo "functions listed in $4 (-) and declared in the header (+) differ; a name that ships stays" >&2
    status=1
}
[ $status -eq 0 ] && echo "$count functions, declared and exported alike"
exit $status
