#!/usr/bin/env bash
# Make a release: the command for each machine and, for Linux, what records in JVMs of glibc and of musl, with pinned
# libraries (samples/release/subprojects) and a pinned compiler; for Android an AAR, by the NDK in ANDROID_NDK_HOME.
# FOLDER/TARGET has what was built, FOLDER/archives an archive for each target, SHA256SUMS and an SBOM, FOLDER/channels the
# packages of samples/release/channels.py. The same commit gives the same bytes, but for the signatures by the KEY of gpg.
# The first build of a target takes a minute more, for its C library.
# usage: samples/release.sh [--output FOLDER] [--sign KEY] [TARGET...]    FOLDER: default build-targets
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/packages.sh

# Target, what the compiler calls it, system and processor as Meson calls them; those first that take longest. Of
# Linux with musl comes the command, which is static, too; from glibc 2.17 on come the libraries alone.
targets='
linux-x64           x86_64-linux-musl       linux    x86_64
linux-x64-glibc     x86_64-linux-gnu.2.17   linux    x86_64
linux-arm64         aarch64-linux-musl      linux    aarch64
linux-arm64-glibc   aarch64-linux-gnu.2.17  linux    aarch64
windows-x64         x86_64-windows-gnu      windows  x86_64
windows-arm64       aarch64-windows-gnu     windows  aarch64
macos-x64           x86_64-macos.11.0       darwin   x86_64
macos-arm64         aarch64-macos.11.0      darwin   aarch64
'
mapfile -t known < <(awk 'NF && $1 !~ /-glibc$/ { print $1 }' <<<"$targets"; echo android)

row_of() {
    awk -v target="$1" '$1 == target' <<<"$targets"
}

usage() {
    sed -n '2,7s/^# //p' "$0" >&2
    echo "targets: ${known[*]}" >&2
    exit 2
}

output=build-targets
key=
while [[ ${1-} == --* ]]; do
    [ -n "${2-}" ] || usage
    case $1 in
    --output) output=$2 ;;
    --sign) key=$2 ;;
    *) usage ;;
    esac
    shift 2
done
if [ $# -eq 0 ]; then
    [ -n "${ANDROID_NDK_HOME-}" ] || { unset 'known[-1]' && echo 'no AAR: ANDROID_NDK_HOME names no NDK'; }
    set -- "${known[@]}"
fi
chosen=()
has_android=false
for target in "$@"; do
    [[ " ${known[*]} " == *" $target "* ]] || usage
    [[ $target == android ]] && has_android=true || chosen+=("$target")
done
ndk=${ANDROID_NDK_HOME-}/toolchains/llvm/prebuilt/linux-x86_64/bin
! $has_android || [ -d "$ndk" ] || { echo "android: no NDK: ANDROID_NDK_HOME is '${ANDROID_NDK_HOME-}'" >&2; exit 1; }
[ -z "$key" ] || gpg --batch --list-secret-keys "$key" >/dev/null || exit 1

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
install_packages "${build_packages[@]}" "${run_packages[@]}" "${release_packages[@]}"
[ -e "$tools/complete" ] || with_lock fetch_tools || out_of_reach 'the compiler'
zig=$("$tools/bin/python" -c 'import ziglang; print(ziglang.__path__[0])')/zig
sources=$(samples/release/sources.sh) || out_of_reach 'sources of the libraries'
mkdir -p "$output/build" "$cache/zig"
output=$(cd "$output" && pwd)
export MESON_PACKAGE_CACHE_DIR=$sources ZIG_GLOBAL_CACHE_DIR=$cache/zig PATH=$tools/bin:$PATH
jdk=$(realpath "$(command -v javac)" | sed 's,/bin/javac$,,')
version=$(sed -n "s/^  version: '\(.*\)',$/\1/p" meson.build)
libraries="src/agent/libmethodbeat-agent.so src/jni/libmethodbeat.so.$version"
jars='src/jni/methodbeat-runtime.jar src/jni/methodbeat-noop.jar'
export SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2>/dev/null || echo 315532800)}

# ---- Builds ----

write_cross_file() {
    local triple=$2 system=$3 processor=$4 headers=
    [ "$system" != linux ] || headers=", '-isystem', '$jdk/include', '-isystem', '$jdk/include/linux'"
    cat <<END
# For $output, from which a build cannot move.
[binaries]
c = ['$PWD/samples/release/cc.sh', '$zig', '-target', '$triple', '-O2', '-s'$headers]
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

# What is built of a target, by its place in the build.
parts_of() {
    case $1 in
    linux-*-glibc) echo "$libraries" ;;
    linux-*) echo "src/cli/methodbeat $libraries $jars" ;;
    windows-*) echo src/cli/methodbeat.exe ;;
    *) echo src/cli/methodbeat ;;
    esac
}

# The parts of a target, in FOLDER/build/TARGET.
build() {
    local target=$1 build=$output/build/$1 alone=() parts
    [[ $target == linux-* ]] || alone=(-Donly_command=true)
    read -ra parts <<<"$(parts_of "$target")"
    # shellcheck disable=SC2046
    write_cross_file $(row_of "$target") >"$build.ini.new"
    cmp -s "$build.ini.new" "$build.ini" || rm -rf "$build"
    mv "$build.ini.new" "$build.ini"
    if [ ! -f "$build/build.ninja" ]; then
        # From there: looking for a linker, Meson lets the compiler leave a file where it is.
        (cd "$output/build" && meson setup "$build" "$root" --cross-file "$build.ini" --wrap-mode forcefallback \
            --buildtype release --libdir lib -Dwerror=true "${alone[@]}") >"$build.log" 2>&1 || { tail -20 "$build.log" >&2; return 1; }
    fi
    ninja -C "$build" "${parts[@]}" >"$build.log" 2>&1 || { grep -v '^\[' "$build.log" | tail -40 >&2; return 1; }
    echo "== $target: $SECONDS s"
}

# gather BUILD FOLDER PATTERN: what was built by these names, without a version.
gather() {
    local part
    mkdir -p "$2"
    for part in $(parts_of "$1"); do
        # shellcheck disable=SC2053
        [[ $part != $3 ]] || cp "$output/build/$1/$part" "$2/$(basename "$part" ".$version")"
    done
}

# Side by side: configuring one, and compiling its C library, takes one processor alone.
export output root=$PWD targets tools zig jdk libraries jars
export -f build row_of write_cross_file parts_of
rm -rf "${output:?}"/{linux,macos,windows}-{x64,arm64} "$output/jars" "$output/archives" "$output/channels"
for target in "${chosen[@]}"; do
    [[ $target != linux-* ]] || echo "$target-glibc"
    echo "$target"
done | xargs --no-run-if-empty -n 1 -P "$(nproc)" bash -euo pipefail -c 'build "$1"' build
for target in "${chosen[@]}"; do
    gather "$target" "$output/$target" '*/methodbeat*(.exe)'
    [[ $target == linux-* ]] || continue
    gather "$target" "$output/$target/musl" '*.so*'
    gather "$target-glibc" "$output/$target" '*.so*'
    gather "$target" "$output/jars" '*.jar'
done
[ ! -d "$output/jars" ] || python3 tests/gradle/jar.py "$output/jars/methodbeat-gradle.jar"
if $has_android; then
    mkdir -p "$output/jars"
    PATH=$ndk:$PATH samples/android/make-aar.sh "$output/jars/methodbeat-android.aar" "$output/build/aar"
    echo "== android: $SECONDS s"
fi
python3 samples/release/archives.py "$output" "$tools" "${chosen[@]}"
python3 samples/release/channels.py "$output" "$output/channels" "$output/archives"
if [ -n "$key" ]; then
    samples/release/sign.sh "$output" "$key"
else
    echo 'not signed: no --sign KEY'
fi
