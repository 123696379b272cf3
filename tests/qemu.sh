#!/bin/sh
# SPDX-License-Identifier: MIT
# The same files and the same answers on other machines: the golden files, the unit tests of what is byte order, private
# sets with coins from a key and a label, and learned filters that are trained and built there and here, on s390x
# (big-endian), on armhf (32 bits) and on x86-64 or AArch64, whichever this machine is not. Needs Debian's cross
# compilers and qemu-user; the libraries of the other machine are unpacked into
# a folder of the build and not installed.
# usage: tests/qemu.sh BUILD [ARCHITECTURE...]        s390x, armhf, amd64, arm64; BUILD has the ultrafilter of this machine
set -eu
build=$(cd "$1" && pwd)
shift
source=$(cd "$(dirname "$0")/.." && pwd)
here=$(dpkg --print-architecture)
[ $# -gt 0 ] || set -- s390x armhf amd64 arm64

units='wire number hash bits checksum linear digits sparse radix ribbon positions derive prf aes rng sample rounding feature train regions model_file learned
       learned_file header damage file_faults compact view loader sizes limits plan spec'
programs='conform_add conform_files' # every path that the other machine has, against the plain one
libraries='libssl-dev libssl3 libxxhash-dev libsodium-dev libsodium23 libjansson-dev libjansson4 zlib1g-dev zlib1g liblzma-dev liblzma5 libzstd-dev libzstd1 libbz2-dev libbz2-1.0 libcmocka-dev libcmocka0'
failed=

# The names that compilers, cmake and qemu have for an architecture of Debian.
name_it() {
    arch=$1
    case $arch in
    s390x) triple=s390x-linux-gnu processor=s390x ;;
    armhf) triple=arm-linux-gnueabihf processor=arm ;;
    amd64) triple=x86_64-linux-gnu processor=x86_64 ;;
    arm64) triple=aarch64-linux-gnu processor=aarch64 ;;
    *)
        echo "qemu.sh: $arch is not one of s390x, armhf, amd64, arm64" >&2
        exit 2
        ;;
    esac
    folder=$build-$arch
    root=$folder/root
}

# Libraries of the other architecture, with lists of packages of their own: apt's state stays as it is.
unpack_libraries() {
    [ ! -e "$root/done" ] || return 0
    rm -rf "$root"
    mkdir -p "$root/apt/lists/partial" "$root/apt/cache/archives/partial" "$root/apt/debs"
    : >"$root/apt/status"
    cat >"$root/apt/conf" <<END
APT::Architecture "$arch";
APT::Architectures "$arch";
APT::Sandbox::User "";
Dir::State::lists "$root/apt/lists";
Dir::State::status "$root/apt/status";
Dir::Cache "$root/apt/cache";
END
    (
        cd "$root/apt/debs"
        APT_CONFIG=$root/apt/conf
        export APT_CONFIG
        apt-get update -qq || true # a list that is being renewed: those that came are enough, or the next line says what is missing
        # shellcheck disable=SC2086
        apt-get download -qq $libraries
    )
    for package in "$root"/apt/debs/*.deb; do
        dpkg-deb -x "$package" "$root"
    done
    rm -rf "$root/apt"
    : >"$root/done"
}

# configure FOLDER OPTION...
configure() {
    PKG_CONFIG_LIBDIR=$libs/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root \
        cmake -S "$source" -B "$@" -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=$processor \
        -DCMAKE_LIBRARY_ARCHITECTURE=$triple -DCMAKE_FIND_ROOT_PATH="$root" \
        -DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY -DCMAKE_FIND_ROOT_PATH_MODE_LIBRARY=ONLY \
        -DCMAKE_C_FLAGS="-isystem $root/usr/include/$triple -isystem $root/usr/include" \
        -DCMAKE_EXE_LINKER_FLAGS="-L$libs -Wl,-rpath-link,$libs" \
        -DCMAKE_SHARED_LINKER_FLAGS="-L$libs -Wl,-rpath-link,$libs" \
        -DUF_HOSTS=OFF -DCMAKE_RULE_MESSAGES=OFF
}

compile() {
    libs=$root/usr/lib/$triple
    targets="ultrafilter test_golden $programs"
    for unit in $units; do
        targets="$targets test_$unit"
    done
    configure "$folder" -DCMAKE_C_COMPILER=$triple-gcc -DUF_TESTS=ON >/dev/null || return 1
    # shellcheck disable=SC2086
    cmake --build "$folder" -j "$(nproc)" --target $targets -- --no-print-directory -s >/dev/null
}

# The library once more, as the other compiler reads it.
compile_by_clang() {
    configure "$folder/clang" -DCMAKE_C_COMPILER=clang -DCMAKE_C_COMPILER_TARGET=$triple &&
        cmake --build "$folder/clang" -j "$(nproc)" --target uf_static -- --no-print-directory -s
}

# there COMMAND...: on the other machine. Its C library must be the one of the loader that -L finds, also where another
# one of that architecture is installed.
there() {
    "qemu-$processor" -cpu max -L "/usr/$triple" \
        -E "LD_LIBRARY_PATH=/usr/$triple/lib:/usr/$triple/lib64:$root/usr/lib/$triple:$folder" "$@"
}

# check NAME COMMAND...
check() {
    name=$1
    shift
    if "$@" >"$folder/log" 2>&1; then
        echo "ok: $arch, $name"
    else
        echo "FAILED: $arch, $name"
        tail -n 30 "$folder/log"
        failed=1
    fi
}

# compare FILE COMMAND...: what the command prints, here and there; and, if it has made it, the file.
compare() {
    file=$1
    shift
    rm -f "$file" "$file.here"
    "$build/ultrafilter" "$@" >said.here 2>&1 || echo "exit $?" >>said.here
    [ ! -e "$file" ] || mv "$file" "$file.here"
    there "$folder/ultrafilter" "$@" >said.there 2>&1 || echo "exit $?" >>said.there
    diff said.here said.there && { [ ! -e "$file.here" ] || cmp "$file.here" "$file"; }
}

# The file, what it says about itself, all its members and its errors.
same_filter() {
    compare a.uf build --force -o a.uf --spec "$1" --model m.ufm --valid valid set && compare - info a.uf &&
        compare - query -c a.uf set && compare - query a.uf fresh
}

# A release that can be made again, byte for byte: here, and there.
same_release() {
    compare a.uf build -o a.uf --key-file key --label a --spec "$1" set && [ -e a.uf ] && compare - info a.uf &&
        compare - query -c a.uf set && compare - query a.uf fresh
}

# Sets in mixed radix: one cell and two, both bands, narrow packs and wide ones, one shard and two.
private_filters() {
    # shellcheck source=tests/cli/lib.sh
    . "$source/tests/cli/lib.sh"
    scene=$(mktemp -d)
    cd "$scene"
    known_key key 1
    seq 2000 >./set
    seq 2001 6000 >fresh
    for spec in n=2000,epsilon=3 n=2000,epsilon=3,prefer=small n=2000,epsilon=2,prefer=accurate n=2000,epsilon=8 \
        n=2000,epsilon=8,prefer=small n=2000,epsilon=1,variant=radix n=2000,epsilon=3,variant=dyadic n=140000,epsilon=5; do
        check "dpset:$spec" same_release "dpset:$spec"
    done
    cd "$source"
    rm -rf "$scene"
}

# Made-up words of two languages, and whether the library tells them apart in the same way.
learned_filters() {
    # shellcheck source=tests/cli/lib.sh
    . "$source/tests/cli/lib.sh"
    scene=$(mktemp -d)
    cd "$scene"
    words 0 6000 1 >set
    words 1 6000 2 >others
    words 1 6000 3 >valid
    words 1 6000 4 >fresh
    lists='--negatives others --valid valid'
    # shellcheck disable=SC2086
    check "a model" compare m.ufm train -o m.ufm --positives set $lists
    for kind in learned sandwich partition; do
        for children in bloom blocked ribbon; do
            spec=$kind:fpr=0.01,children=$children,seed=0x5eed
            check "$spec" same_filter "$spec"
        done
    done
    cd "$source"
    rm -rf "$scene"
}

UF_TEST_SMALL=1
UF_TEST_FEW=1
export UF_TEST_SMALL UF_TEST_FEW
for arch in "$@"; do
    [ "$arch" != "$here" ] || continue
    name_it "$arch"
    "$source/tools/install-deps" qemu "qemu-$arch"
    unpack_libraries
    compile || {
        echo "FAILED: $arch, compiled"
        failed=1
        continue
    }
    check "compiled by clang" compile_by_clang
    check "golden files" there "$folder/test_golden" "$source/tests/golden"
    for unit in $units; do
        check "unit $unit" there "$folder/test_$unit"
    done
    for program in $programs; do
        check "$program" there "$folder/$program"
    done
    private_filters
    learned_filters
done
[ -z "$failed" ]
