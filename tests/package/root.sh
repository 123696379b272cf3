# SPDX-License-Identifier: MIT
# Clean roots: Debian 12 in a folder, with what is named and nothing else, and commands in it that see no network.
# shellcheck shell=sh

# new_root FOLDER VARIANT PACKAGE...: of mmdebstrap, which needs root's rights.
new_root() {
    root=$1
    variant=$2
    shift 2
    rm -rf "$root"
    # postgresql makes no cluster of its own: what is there afterwards is what packages brought.
    mmdebstrap --quiet --mode=root --variant="$variant" --include="$(echo "$*" | tr ' ' ,)" \
        --essential-hook='mkdir -p "$1/etc/postgresql-common" && echo "create_main_cluster = false" >"$1/etc/postgresql-common/createcluster.conf"' \
        --essential-hook='printf "#!/bin/sh\nexit 101\n" >"$1/usr/sbin/policy-rc.d" && chmod +x "$1/usr/sbin/policy-rc.d"' \
        bookworm "$root" 2>"$root.log" || {
        cat "$root.log" >&2
        return 1
    }
}

# mounted ROOT COMMAND: a line for sh, here, while the root has what a running system has, and without a network but for the
# machine's own address.
mounted() {
    # shellcheck disable=SC2016
    unshare --mount --net --pid --fork sh -euc '
        mount -t proc proc "$1/proc"
        mkdir -p "$1/dev/shm"
        mount -t tmpfs shm "$1/dev/shm"
        ip link set lo up
        eval "$2"' sh "$1" "$2"
}

# in_root ROOT COMMAND: the same, in the root.
in_root() {
    IN_ROOT=$2 mounted "$1" 'exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
        DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-}" chroot "$1" sh -euc "$IN_ROOT"'
}

# files_in ROOT: every path, but for what apt, dpkg and logs keep of any change.
files_in() {
    (cd "$1" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./run -o -path ./var/lib/dpkg \
        -o -path ./var/log -o -path ./var/cache -o -path ./var/lib/apt -o -path ./packages \) -prune -o -print | LC_ALL=C sort)
}
