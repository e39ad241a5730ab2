#!/bin/sh
# Replay event logs on 64-bit Arm, run by qemu-user: the same issues, byte for byte, as here.
# usage: aarch64.sh ISSUES_OF LOG..., the program of this machine
set -eu
issues_of=$(realpath "$1")
shift
root=$(realpath "$(dirname "$0")/../..")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# jansson for that machine; the lists of packages here stay as they are.
mkdir -p "$folder/lists/partial"
apt_arm64() {
    apt-get -q -o APT::Architectures::=amd64 -o APT::Architectures::=arm64 \
        -o Dir::State::Lists="$folder/lists" -o APT::Sandbox::User=root "$@" > "$folder/apt.log" 2>&1 || {
        tail -n 3 "$folder/apt.log"
        echo "aarch64: skipped, no packages for it"
        exit 77
    }
}
apt_arm64 update
(cd "$folder" && apt_arm64 download libjansson-dev:arm64 libjansson4:arm64)
for package in "$folder"/*.deb; do
    dpkg-deb -x "$package" "$folder/arm64"
done
aarch64-linux-gnu-gcc -std=c17 -O2 -D_DEFAULT_SOURCE -D_GNU_SOURCE -I"$root/src" -I"$root/tests" \
    -idirafter "$folder/arm64/usr/include" -o "$folder/issues_of" "$root/tests/replay/issues_of.c" \
    "$root"/src/base/*.c "$root"/src/abi/*.c "$root"/src/trace/*.c "$root"/src/monitor/*.c \
    "$root"/tests/replay/event.c "$root"/tests/replay/names.c "$root"/tests/replay/replay.c -L"$folder/arm64/usr/lib/aarch64-linux-gnu" -ljansson -lpthread
for log; do
    "$issues_of" -- "$log" > "$folder/here"
    qemu-aarch64 -L /usr/aarch64-linux-gnu -E LD_LIBRARY_PATH="$folder/arm64/usr/lib/aarch64-linux-gnu" \
        "$folder/issues_of" -- "$log" > "$folder/there"
    cmp "$folder/here" "$folder/there"
    echo "$log: $(wc -l < "$folder/here") issues, $(wc -c < "$folder/here") bytes, the same on aarch64"
done
