#!/bin/sh
# Cross-compile the recorder for 64-bit Arm and run its test programs under qemu-user: another
# counter, weaker order of stores, other atomics.
# usage: aarch64.sh SOURCE_ROOT     exit 77 (skipped) without compiler or emulator
set -eu
command -v aarch64-linux-gnu-gcc >/dev/null && command -v qemu-aarch64 >/dev/null || exit 77
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
meson setup "$work/build" "$1" --cross-file "$1/tests/aarch64.ini" -Donly_recorder=true --werror \
    >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
meson test -C "$work/build" --list 2>/dev/null | grep -q 'recorder storm' || { echo 'no tests'; exit 1; }
meson test -C "$work/build" --print-errorlogs --timeout-multiplier 4
