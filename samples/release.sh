#!/usr/bin/env bash
# Build the command for other machines, with pinned libraries (samples/release/subprojects) and a pinned compiler, and
# pack it: FOLDER/TARGET has the command, FOLDER/archives an archive for each target, SHA256SUMS and an SBOM. The same
# commit gives the same bytes. The first build of a target takes minutes more, for its C library.
# usage: samples/release.sh [--output FOLDER] [TARGET...]    FOLDER: default build-targets
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/packages.sh

# Target, what the compiler calls it, system and processor as Meson calls them.
targets='
linux-x64       x86_64-linux-musl    linux    x86_64
linux-arm64     aarch64-linux-musl   linux    aarch64
macos-x64       x86_64-macos.11.0    darwin   x86_64
macos-arm64     aarch64-macos.11.0   darwin   aarch64
windows-x64     x86_64-windows-gnu   windows  x86_64
windows-arm64   aarch64-windows-gnu  windows  aarch64
'
chosen=(linux-x64 linux-arm64 macos-x64 macos-arm64 windows-x64)

row_of() {
    awk -v target="$1" '$1 == target' <<<"$targets"
}

usage() {
    sed -n '2,5s/^# //p' "$0" >&2
    echo "targets: $(awk '{ printf "%s ", $1 }' <<<"$targets")(default: ${chosen[*]})" >&2
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
c = ['$PWD/samples/release/cc.sh', '$tools/bin/python-zig', '-target', '$triple', '-O2']
ar = ['$tools/bin/python-zig', 'ar']
ranlib = ['$tools/bin/python-zig', 'ranlib']
windres = ['$tools/bin/python-zig', 'rc']
strip = 'llvm-strip-14'
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
        meson setup "$build" --cross-file "$build.ini" --wrap-mode forcefallback --buildtype release -Dwerror=true \
            -Donly_command=true >"$build.log" 2>&1 || { tail -20 "$build.log" >&2; return 1; }
    fi
    ninja -C "$build" "src/cli/$command" >"$build.log" 2>&1 || { grep -v '^\[' "$build.log" | tail -40 >&2; return 1; }
    rm -rf "${output:?}/$target"
    mkdir "$output/$target"
    llvm-strip-14 -o "$output/$target/$command" "$build/src/cli/$command"
}

for target in "${chosen[@]}"; do
    echo "== $target"
    build "$target"
done
python3 samples/release/archives.py "$output" "$tools" "${chosen[@]}"
