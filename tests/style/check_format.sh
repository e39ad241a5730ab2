#!/bin/sh
# The sources are as clang-format leaves them, comments too: no line has over 100 columns. Version 14: others differ
# in details.
# usage: check_format.sh ROOT
set -u
format=$(command -v clang-format-14) || { echo "no clang-format-14"; exit 77; }
cd "$1" || exit 1
find src classfile rules samples tests -path samples/release/subprojects -prune -o -name '*.[ch]' -print0 |
    xargs -0 -n 40 -P "$(nproc)" "$format" --dry-run -Werror
