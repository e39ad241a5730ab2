#!/bin/sh
# Disks of all sizes from one that has no room for a trace to one that has room for all of it.
# usage: full.sh PROGRAM     exit 77 (skipped) where no disk may be mounted
set -eu
program=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
unshare -m mount -t tmpfs tmpfs "$work" 2>/dev/null || exit 77

unshare -m sh -c '
    program=$1
    work=$2
    step=20
    size=60
    while [ "$size" -le 100000 ]; do
        mount -t tmpfs -o "size=${size}k" tmpfs "$work" || exit 1
        out=$("$program" "$work/t.mbtrace" 2>&1) || { echo "${size}k: exit code $?: $out"; exit 1; }
        umount "$work"
        [ "$size" -lt 700 ] || step=$((size / 3))
        size=$((size + step))
    done' sh "$program" "$work"
