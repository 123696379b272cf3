#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs into a folder of its own, as a user would, and uses what is there: the C program of the README through
# pkg-config (shared and static) and through find_package (both targets), man pages, completions; then uninstalls.
# usage: tests/cli/install.sh SOURCE-FOLDER BUILD-FOLDER
set -eu
source=$(cd "$1" && pwd)
build=$(cd "$2" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES || true
LC_ALL=C
export LC_ALL
CC=${CC:-cc}

fail() {
    echo "FAILED: $*" >&2
    exit 1
}
# quietly COMMAND...: shows what it printed when it fails.
quietly() { "$@" >"$folder/log" 2>&1 || { cat "$folder/log"; fail "$*"; }; }

echo "== make install"
prefix=$folder/prefix
quietly make -C "$source" install BUILD="$build" PREFIX="$prefix"
grep -q "installed under $prefix" "$folder/log" || fail "make install does not say where"
for name in PATH PKG_CONFIG_PATH LD_LIBRARY_PATH; do
    grep -q "export $name=" "$folder/log" || fail "make install does not say what to set: $name"
done
eval "$(grep '^  export ' "$folder/log")"
[ -s "$prefix/include/ultrafilter.h" ] || fail "the header is not installed"
for page in ultrafilter ultrafilter-query ultrafilter-lab ultrafilter-lab-attack; do
    [ -s "$prefix/share/man/man1/$page.1" ] || fail "$page(1) is not installed"
done
for program in ultrafilter ultrafilter-lab; do
    for file in bin/$program share/bash-completion/completions/$program share/zsh/site-functions/_$program \
        share/fish/vendor_completions.d/$program.fish; do
        [ -s "$prefix/$file" ] || fail "$file is not installed"
    done
done
nm "$prefix/bin/ultrafilter-lab" | grep -q ' attack_find$' || fail "the lab has lost its attacks, or nm its names"
! nm "$prefix/bin/ultrafilter" | grep -e ' attack_' -e ' audit_' -e ' game_' -e ' hybrid_' -e ' experiment' ||
    fail "ultrafilter links code of the lab"
[ "$(ls "$prefix/include" | tr '\n' ' ')" = "ultrafilter.h ultrafilter_inline.h " ] ||
    fail "other headers are installed: $(ls "$prefix/include")"
libdir=$(dirname "$(find "$prefix" -name libultrafilter.a)")
[ "$(command -v ultrafilter)" = "$prefix/bin/ultrafilter" ] || fail "what make install says to set does not help"
[ "$(pkg-config --variable=libdir ultrafilter | xargs realpath)" = "$(realpath "$libdir")" ] || fail "pkg-config looks elsewhere"
while read -r call; do
    [ -s "$prefix/share/man/man3/$call.3" ] || fail "$call(3) is not installed"
done <"$source/tests/symbols.txt"
quietly sh -euc "cd '$prefix/share/man' && mandoc -T lint -W error man3/*.3 man5/ultrafilter.5"
[ -s "$prefix/share/doc/ultrafilter/privacy.md" ] || fail "the pages of docs/ are not installed"
[ "$("$prefix/bin/ultrafilter" --version)" = "ultrafilter $(pkg-config --modversion ultrafilter)" ] ||
    fail "the program and the pkg-config file disagree about the version"

echo "== the README's program"
cd "$folder"
awk '/^```c hello.c$/ { on = 1; next } /^```$/ { on = 0 } on' "$source/README.md" >hello.c
[ -s hello.c ] || fail "README.md has no block of C"
[ "$(grep -c . hello.c)" -le 15 ] || fail "the README's program has more than 15 lines"
sed -n '/^#include/,$p' "$source/examples/quickstart.c" | diff -u hello.c - || fail "examples/quickstart.c is another"

# runs PROGRAM: its output is the one that the README promises.
runs() {
    [ "$("$1")" = "alice: 1, mallory: 0" ] || fail "$1 prints: $("$1")"
    echo "$1: ok"
}

echo "== pkg-config"
# shellcheck disable=SC2046
quietly "$CC" -Wall -Wextra -Werror -std=c17 hello.c $(pkg-config --cflags --libs ultrafilter) -o hello-shared
ldd hello-shared | grep -q "libultrafilter.*$prefix" || fail "hello-shared does not use the installed library"
runs ./hello-shared
# shellcheck disable=SC2046
quietly "$CC" -static hello.c $(pkg-config --static --cflags --libs ultrafilter) -o hello-static
! ldd hello-static 2>/dev/null | grep libultrafilter || fail "hello-static uses the shared library"
runs ./hello-static

echo "== the examples, as each says how to compile it"
for example in "$source"/examples/*.c; do
    line=$(sed -n 's/^ \* *cc \(.*-o.*\)/\1/p' "$example")
    [ -n "$line" ] || fail "$example does not say how to compile it"
    quietly sh -euc "cd '$source/examples' && $CC ${line%-o *} -Wall -Wextra -Werror -o '$folder/example'"
    quietly ./example
    echo "$(basename "$example"): ok"
done

echo "== find_package"
mkdir project
cp hello.c project
cat >project/CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.18)
project(hello LANGUAGES C)
find_package(ultrafilter 0.1 REQUIRED)
add_executable(cmake-shared hello.c)
target_link_libraries(cmake-shared ultrafilter::ultrafilter)
add_executable(cmake-static hello.c)
target_link_libraries(cmake-static ultrafilter::ultrafilter_static)
END
quietly cmake -S project -B project/build -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$CC"
quietly cmake --build project/build
runs project/build/cmake-shared
ldd project/build/cmake-static | grep libultrafilter && fail "cmake-static uses the shared library"
runs project/build/cmake-static
sed -i 's/ultrafilter 0.1 REQUIRED/ultrafilter 99 REQUIRED/' project/CMakeLists.txt
! cmake -S project -B project/other -DCMAKE_PREFIX_PATH="$prefix" >/dev/null 2>&1 || fail "version 99 was found"

echo "== make uninstall"
quietly make -C "$source" uninstall BUILD="$build"
left=$(find "$prefix" ! -type d)
[ -z "$left" ] || fail "left behind: $left"
echo "nothing is left"
