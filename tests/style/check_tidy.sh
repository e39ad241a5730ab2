#!/bin/sh
# The checks of .clang-tidy over the product's sources.
# usage: check_tidy.sh ROOT BUILD
set -u
tidy=$(command -v clang-tidy-14 || command -v clang-tidy) || { echo "no clang-tidy"; exit 77; }
cd "$1" || exit 1
find src classfile rules -name '*.c' -print0 |
    xargs -0 -n 6 -P "$(nproc)" "$tidy" -p "$2" --quiet --warnings-as-errors='*' \
        --extra-arg=-Wno-unknown-warning-option 2>/dev/null
