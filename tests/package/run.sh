#!/bin/sh
# SPDX-License-Identifier: MIT
# The release and its packages, as users get them: the tarball twice and from itself, the packages built from it in a clean
# root without a network, what lintian says, the same bytes from another folder, installed, tested and purged in
# another clean root. Needs root's rights; half an hour on two cores. Goes on after a failure, and fails at the end.
# usage: tests/package/run.sh FOLDER        PACKAGE_STEPS="source build ..." for some of the steps
set -u
source=$(cd "$(dirname "$0")/../.." && pwd)
mkdir -p "$1"
folder=$(cd "$1" && pwd -P)
. "$source/tests/check/lib.sh"
. "$source/tests/package/root.sh"
steps=${PACKAGE_STEPS:-tarball source build-root build paths lintian again root install test}
jobs=$(nproc)
version=$("$source/tools/version")
release=ultrafilter-$version
[ "$(id -u)" = 0 ] || {
    echo "test-package: clean roots need root's rights; make deb builds the packages without" >&2
    exit 1
}

# same WHAT FILE FILE
same() {
    cmp "$2" "$3" && echo "ok: $1: $(sha256sum <"$2" | cut -c1-16)"
}

tarball() {
    rm -rf "$folder/dist"
    "$source/tools/dist" "$folder/dist/1" && (umask 077 && TZ=Asia/Tokyo "$source/tools/dist" "$folder/dist/2") &&
        same "make dist, twice" "$folder/dist/1/$release.tar.gz" "$folder/dist/2/$release.tar.gz" &&
        tar -xf "$folder/dist/1/$release.tar.gz" -C "$folder/dist" && mkdir -p "$folder/dist/$release/build/left" &&
        touch "$folder/dist/$release/build/left/over" && "$folder/dist/$release/tools/dist" "$folder/dist/3" &&
        same "make dist of the unpacked release" "$folder/dist/1/$release.tar.gz" "$folder/dist/3/$release.tar.gz"
}

source_package() {
    "$source/tools/deb" "$folder/source"
}

# names: the packages of a list of dependencies, without versions and profiles.
names() {
    tr ',\n' '\n\n' | sed 's/[[(<|].*//; s/ //g; s/:any//; s/-compat$//' | grep -v -e '^$' -e '\$' | sort -u
}

build_root() {
    # shellcheck disable=SC2046
    new_root "$folder/build-root" buildd $(sed -n '/^Build-Depends:/,/^[^ ]*:/{s/^Build-Depends://;/^[^ ]/d;p}' "$source/debian/control" | names)
}

# What the packages and their tests depend on, and none of the packages.
root() {
    # shellcheck disable=SC2046
    new_root "$folder/clean" minbase $({
        for deb in "$folder"/build-root/build/one/*.deb; do
            dpkg-deb -f "$deb" Depends
        done
        sed -n 's/^Depends://p' "$source/debian/tests/control"
    } | names | grep -v ultrafilter)
}

# build_at FOLDER-IN-ROOT OPTIONS: the .debs end up beside the tree. dpkg-buildpackage asks dpkg-checkbuilddeps first.
build_at() {
    rm -rf "$folder/build-root$1"
    mkdir -p "$folder/build-root$1"
    cp "$folder/source"/*.dsc "$folder/source"/*.tar.* "$folder/build-root$1"
    DEB_BUILD_OPTIONS="parallel=$jobs $2" in_root "$folder/build-root" "
        cd $1
        dpkg-source -x ./*.dsc tree >/dev/null
        cd tree
        $3
        dpkg-buildpackage -us -uc >../log 2>&1" || {
        tail -n 60 "$folder/build-root$1/log"
        return 1
    }
}

build() {
    build_at /build/one "" : && grep -e 'tests passed' "$folder/build-root/build/one/log" &&
        (cd "$folder/build-root/build/one" && ls -sh -- *.deb)
}

lint() {
    lintian --allow-root --show-overrides "$folder"/build-root/build/one/*.changes
    lintian --allow-root --fail-on error,warning "$folder"/build-root/build/one/*.changes >/dev/null &&
        echo "ok: lintian finds no error and no warning but those that are overridden, each with its reason"
}

# Another folder, time zone, language and mask, and one thing at a time.
again() {
    build_at /another/place "nocheck parallel=1" 'export TZ=Asia/Tokyo LC_ALL=C LANG=C; umask 022' || return 1
    different=
    for deb in "$folder"/build-root/build/one/*.deb; do
        cmp -s "$deb" "$folder/build-root/another/place/$(basename "$deb")" || different="$different $(basename "$deb")"
    done
    [ -z "$different" ] || {
        echo "not the same bytes:$different"
        return 1
    }
    echo "ok: the same bytes from another folder: $(ls "$folder"/build-root/another/place/*.deb | wc -l) packages"
}

# GNUInstallDirs and the options of CONTRIBUTING.md decide where things go; a module finds the library from there.
paths() {
    in_root "$folder/build-root" '
        rm -rf /build/paths
        cmake -S /build/one/tree -B /build/paths -DCMAKE_INSTALL_PREFIX=/opt/uf -DCMAKE_INSTALL_LIBDIR=lib64 -DCMAKE_INSTALL_MANDIR=man \
            -DCMAKE_INSTALL_DOCDIR=share/pages "-DUF_HOSTS=redis;sqlite;postgres;python" -DUF_REDIS_DIR=/opt/redis/modules \
            -DUF_SQLITE_DIR=lib64/sqlite -DUF_POSTGRES_LIBDIR=/opt/pg/lib -DUF_POSTGRES_SHAREDIR=/opt/pg/share -DUF_PYTHON_DIR=/opt/py >/dev/null
        find /build/paths -name cmake_install.cmake -exec cat {} + >/build/scripts
        for place in PREFIX}/bin PREFIX}/include PREFIX}/lib64 PREFIX}/lib64/pkgconfig PREFIX}/man/man1 PREFIX}/share/pages \
            PREFIX}/lib64/sqlite /opt/redis/modules /opt/pg/lib /opt/pg/share /opt/py; do
            grep -q "DESTINATION \".*$place\"" /build/scripts || { echo "nothing goes to $place"; exit 1; }
        done
        grep -q "NEW_RPATH .*ORIGIN/../../uf/lib64\"" /build/scripts && grep -q "NEW_RPATH .*ORIGIN/..\"" /build/scripts' &&
        echo "ok: places are those that were asked for"
}

put_packages() {
    rm -rf "$folder/clean/packages"
    mkdir "$folder/clean/packages"
    cp "$folder"/build-root/build/one/*.deb "$folder/clean/packages"
    rm "$folder"/clean/packages/*-dbgsym_*
}
ours="dpkg-query -W -f '\${Package} \${source:Package}\n' | sed -n 's/ ultrafilter\$//p'"

# left BEFORE: what a purge of everything leaves behind.
purge() {
    in_root "$folder/clean" "dpkg --purge \$($ours) >/dev/null" && files_in "$folder/clean" >"$folder/after" &&
        diff "$1" "$folder/after" && echo "ok: purged, and nothing is left"
}

install_and_purge() {
    put_packages
    files_in "$folder/clean" >"$folder/before"
    in_root "$folder/clean" "dpkg -i /packages/*.deb >/dev/null; $ours | wc -l; dpkg --verify \$($ours); ldconfig -p | grep -o 'libultrafilter.*=> .*'" &&
        files_in "$folder/clean" >"$folder/installed" &&
        echo "ok: $(comm -13 "$folder/before" "$folder/installed" | wc -l) files and folders come with them" &&
        purge "$folder/before"
}

# debian/tests, by autopkgtest, in the root in which only the packages and what they depend on are installed.
# Their folder for temporary files is that of the root.
package_tests() {
    put_packages
    files_in "$folder/clean" >"$folder/before"
    in_root "$folder/clean" "dpkg -i /packages/*.deb >/dev/null" && rm -rf "$folder/tests" &&
        mounted "$folder/clean" "env -u TMPDIR autopkgtest --quiet --no-built-binaries --output-dir '$folder/tests' '$folder/source/$release/' -- chroot '$folder/clean'" >"$folder/log" 2>&1
    status=$?
    [ $status -eq 0 ] || cat "$folder/log"
    cat "$folder/tests/summary"
    purge "$folder/before" && return $status
}

for part in $steps; do
    case $part in
    tarball) step "make dist" tarball ;;
    source) step "the source package" source_package ;;
    build-root) step "a clean root with Build-Depends" build_root ;;
    build) step "packages, built without a network" build ;;
    paths) step "places of an installation" paths ;;
    lintian) step "lintian" lint ;;
    again) step "the same, in another folder" again ;;
    root) step "a clean root with what the packages depend on" root ;;
    install) step "installed and purged" install_and_purge ;;
    test) step "tests of the installed packages" package_tests ;;
    esac
done
finish "the packages are as they should be"
