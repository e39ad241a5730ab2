#!/usr/bin/env bash
# Build the command for other machines, with pinned libraries (samples/release/subprojects) and a pinned compiler, and
# pack it: FOLDER/TARGET has the command, FOLDER/archives an archive for each target, SHA256SUMS and an SBOM. The same
# commit gives the same bytes. The first build of a target takes a minute more, for its C library.
# usage: samples/release.sh [--output FOLDER] [TARGET...]    FOLDER: default build-targets
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/packages.sh

# Target, what the compiler calls it, system and processor as Meson calls them; those first that take longest.
targets='
windows-x64     x86_64-windows-gnu   windows  x86_64
windows-arm64   aarch64-windows-gnu  windows  aarch64
linux-x64       x86_64-linux-musl    linux    x86_64
linux-arm64     aarch64-linux-musl   linux    aarch64
macos-x64       x86_64-macos.11.0    darwin   x86_64
macos-arm64     aarch64-macos.11.0   darwin   aarch64
'
mapfile -t chosen < <(awk 'NF { print $1 }' <<<"$targets")

row_of() {
    awk -v target="$1" '$1 == target' <<<"$targets"
}

usage() {
    sed -n '2,5s/^# //p' "$0" >&2
    echo "targets: ${chosen[*]}" >&2
    exit 2
}

output=build-targets
if [ "${1-}" = --output ]; then
    [ -n "${2-}" ] || usage
    output=$2
    shift 2
fi
for target in "$@"; do
    [ -n "$(row_of "$target")" ] || usage
done
[ $# -eq 0 ] || chosen=("$@")

# ---- Tools and sources ----

out_of_reach() {
    echo "out of reach: $*" >&2
    exit 77
}

# Under the lock. The environment is named by what is in it.
fetch_tools() {
    [ ! -e "$tools/complete" ] || return 0
    rm -rf "$tools"
    python3 -m venv "$tools" &&
        "$tools/bin/pip" install --quiet --disable-pip-version-check --require-hashes --no-deps \
            -r samples/release/requirements.txt >&2 && touch "$tools/complete"
}

tools=$cache/release-tools-$(sha256sum samples/release/requirements.txt | cut -c 1-12)
install_packages "${build_packages[@]}" "${release_packages[@]}"
[ -e "$tools/complete" ] || with_lock fetch_tools || out_of_reach 'the compiler'
zig=$("$tools/bin/python" -c 'import ziglang; print(ziglang.__path__[0])')/zig
sources=$(samples/release/sources.sh) || out_of_reach 'sources of the libraries'
mkdir -p "$output/build" "$cache/zig"
output=$(cd "$output" && pwd)
export MESON_PACKAGE_CACHE_DIR=$sources ZIG_GLOBAL_CACHE_DIR=$cache/zig PATH=$tools/bin:$PATH
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}

# ---- Builds ----

write_cross_file() {
    local triple=$2 system=$3 processor=$4
    cat <<END
# For $output, from which a build cannot move.
[binaries]
c = ['$PWD/samples/release/cc.sh', '$zig', '-target', '$triple', '-O2', '-s']
ar = ['$zig', 'ar']
ranlib = ['$zig', 'ranlib']
windres = ['$zig', 'rc']
pkg-config = '/bin/false'
[host_machine]
system = '$system'
cpu_family = '$processor'
cpu = '$processor'
endian = 'little'
END
}

# The command, as FOLDER/TARGET/methodbeat or methodbeat.exe.
build() {
    local target=$1 build=$output/build/$1 command=methodbeat
    [[ $target != windows-* ]] || command=methodbeat.exe
    # shellcheck disable=SC2046
    write_cross_file $(row_of "$target") >"$build.ini.new"
    cmp -s "$build.ini.new" "$build.ini" || rm -rf "$build"
    mv "$build.ini.new" "$build.ini"
    if [ ! -f "$build/build.ninja" ]; then
        # From there: looking for a linker, Meson lets the compiler leave a file where it is.
        (cd "$output/build" && meson setup "$build" "$root" --cross-file "$build.ini" --wrap-mode forcefallback \
            --buildtype release -Dwerror=true -Donly_command=true) >"$build.log" 2>&1 || { tail -20 "$build.log" >&2; return 1; }
    fi
    rm -rf "${output:?}/$target"
    ninja -C "$build" "src/cli/$command" >"$build.log" 2>&1 || { grep -v '^\[' "$build.log" | tail -40 >&2; return 1; }
    mkdir "$output/$target"
    cp "$build/src/cli/$command" "$output/$target/"
    echo "== $target: $SECONDS s"
}

# Side by side: configuring one, and compiling its C library, takes one processor alone.
export output root=$PWD targets tools zig
export -f build row_of write_cross_file
printf '%s\n' "${chosen[@]}" | xargs -n 1 -P "$(nproc)" bash -euo pipefail -c 'build "$1"' build
python3 samples/release/archives.py "$output" "$tools" "${chosen[@]}"
