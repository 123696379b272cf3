#!/bin/sh
# SPDX-License-Identifier: MIT
# All places agree about the version (version), and the checker finds each one that is changed in a copy.
# usage: tests/check/version_test.sh SOURCE-FOLDER BUILD-FOLDER
set -eu
source=$(cd "$1" && pwd)
check=$source/tests/check/version
"$check" "$source" "$2"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$source"
cp --parents -r CMakeLists.txt CHANGELOG.md include/ultrafilter.h cmake/ultrafilter.map debian/changelog debian/control \
    debian/libultrafilter*.install debian/libultrafilter*.symbols hosts/postgres/ultrafilter* "$folder"
cd "$folder"
"$check" . >/dev/null

# planted FILE SED-SCRIPT WORDS: with that change the checker fails and says the words.
planted() {
    cp "$1" kept
    sed -i "$2" "$1"
    ! cmp -s kept "$1" || {
        echo "FAILED: nothing was changed in $1" >&2
        exit 1
    }
    if "$check" . >output 2>&1 || ! grep -q "$3" output; then
        echo "FAILED: $1 with $2 is not found:" >&2
        cat output >&2
        exit 1
    fi
    mv kept "$1"
}

symbols=$(echo debian/libultrafilter[0-9]*.symbols)
planted CMakeLists.txt 's/^\(project(ultrafilter VERSION\) [0-9.]*/\1 99.0.0/' 'include/ultrafilter.h: UF_VERSION is'
planted CMakeLists.txt 's/^set(UF_SONAME [0-9]*)/set(UF_SONAME 99)/' 'not "ULTRAFILTER_99"'
planted include/ultrafilter.h 's/^#define UF_VERSION .*/#define UF_VERSION "9.9.9"/' 'UF_VERSION is "9.9.9"'
planted cmake/ultrafilter.map 's/^ULTRAFILTER_[0-9]*/ULTRAFILTER_99/' 'its node is "ULTRAFILTER_99"'
planted debian/changelog '1s/(.*)/(9.9.9-1)/' 'first entry is "9.9.9"'
planted debian/control 's/^Package: libultrafilter[0-9]*$/Package: libultrafilter99/' 'the library is "libultrafilter99"'
planted "$symbols" '1s/so\.[0-9]*/so.99/' 'its first line is'
planted "$symbols" '$s/[^ ]*$/99.0.0/' 'came with 99.0.0'
planted "$symbols" '$s/@.* /@OTHER /' 'is of node OTHER'
planted CHANGELOG.md '0,/^## .*/s//## Soon/' '"## Soon" is not'
planted CHANGELOG.md '0,/^## .*/s//## 99.0.0 (2099-01-01)/' 'the last release is 99.0.0'
planted CHANGELOG.md '0,/^## .*/s//## Unreleased\n### Added\n\n## 99.0.0 (2099-01-01)/' 'raise the version'
planted CHANGELOG.md '0,/^### .*/s//### Misc/' '"### Misc" is none of'
planted hosts/postgres/ultrafilter.control "s/^default_version = .*/default_version = '99'/" 'to default_version 99'
echo "14 changes in a copy are found"
