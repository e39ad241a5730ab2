#!/bin/sh
# Cross-compile the recorder for another machine and run its test programs under qemu-user: another
# counter or none, weaker order of stores, other atomics, other widths.
# usage: emulated.sh SOURCE_ROOT CROSS_FILE     exit 77 (skipped) without compiler or emulator
set -eu
for tool in $(sed -n "s/^c = \['\([^']*\)'.*/\1/p; s/^exe_wrapper = \['\([^']*\)'.*/\1/p" "$2"); do
    command -v "$tool" >/dev/null || exit 77
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
meson setup "$work/build" "$1" --cross-file "$2" -Donly_recorder=true --werror \
    >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
meson test -C "$work/build" --list 2>/dev/null | grep -q 'recorder storm' || { echo 'no tests'; exit 1; }
meson test -C "$work/build" --print-errorlogs --timeout-multiplier 4
