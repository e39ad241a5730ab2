#!/usr/bin/env bash
# What is built and installed besides the usual: the recorder alone with its tests, nothing of the
# tests where nobody asks for them, what can be left out left out, and an installed methodbeat that a program can be linked with.
# usage: configurations.sh SOURCE_ROOT
set -euo pipefail
root=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

fail() {
    echo "FAILED: $*"
    exit 1
}

# configure FOLDER OPTION...: what optimisers say is said in other builds
configure() {
    meson setup "$work/$1" "$root" -Dwerror=true -Doptimization=0 "${@:2}" >"$work/log" 2>&1 ||
        { cat "$work/log"; fail "configure ${*:2}"; }
}

compile() {
    ninja -C "$work/$1" "${@:2}" >"$work/log" 2>&1 || fail "compile $1, exit code $?: $(tail -n 40 "$work/log")"
}

tests_of() {
    meson test -C "$work/$1" --list 2>/dev/null
}

configure recorder -Donly_recorder=true -Dtests=enabled -Djni=disabled
mapfile -t needed < <(python3 "$root/tests/needed.py" "$work/recorder" --no-suite tsan)
compile recorder "${needed[@]}"
tests=$(tests_of recorder)
[[ $tests == *'recorder stress'* ]] || fail 'the recorder alone has no tests of its own'
[[ ! $tests =~ corpus|instrument|jvm ]] || fail 'the recorder alone has tests of other parts'
# The build that this is a test of has run all of them over the same sources.
meson test -C "$work/recorder" --no-rebuild --timeout-multiplier 4 --print-errorlogs 'recorder stress' >"$work/log" 2>&1 ||
    fail "the tests of the recorder alone, exit code $?: $(grep -v ' OK  ' "$work/log")"

configure plain --prefix="$work/prefix" -Dauto_features=disabled --fatal-meson-warnings
[[ ! $(tests_of plain) =~ methodbeat ]] || fail 'there are tests that nobody asked for'
targets=$(ninja -C "$work/plain" -t targets all)
[[ ! $targets =~ tests/[^:]*\.c\.o ]] || fail 'tests are built that nobody asked for'
compile plain

# sample WHAT VARIABLE=VALUE...: what the native sample says with this environment.
sample() {
    env "${@:2}" "$root/samples/native/run.sh" >"$work/said" 2>&1 ||
        { cat "$work/said"; fail "sample, $1"; }
    grep -q '^1472 and 878 primes$' "$work/said" && grep -q 'primes.isPrime' "$work/said" ||
        { cat "$work/said"; fail "sample, $1: not what is expected"; }
}

meson install -C "$work/plain" --no-rebuild --quiet
config=$(find "$work/prefix" -name methodbeat.pc)
sample 'installed to a prefix' PKG_CONFIG_PATH="${config%/*}"
rm -rf "$work/prefix"
meson install -C "$work/plain" --no-rebuild --quiet --destdir "$work/stage"
sample 'staged' PKG_CONFIG_PATH="$work/stage${config%/*}" PKG_CONFIG_SYSROOT_DIR="$work/stage"
"$root/samples/native/run.sh" "$work/plain" >/dev/null || fail 'sample, not installed'
echo 'the recorder alone, no tests, installed, staged'
