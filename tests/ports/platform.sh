#!/bin/sh
# The promises of base/platform.h, in a new folder.
# usage: platform.sh PROGRAM            of this system
#        platform.sh --windows ROOT     of Windows: compiled by MinGW, and run by Wine
set -eu
cache=${METHODBEAT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/methodbeat}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
if [ "$1" != --windows ]; then
    mkdir "$scratch/here"
    "$1" "$scratch/here"
    exit
fi
wine=$(command -v wine64 || ls /usr/lib/wine/wine64) || { echo 'no wine64'; exit 77; }
compiler=$(command -v x86_64-w64-mingw32-gcc) || { echo 'no MinGW'; exit 77; }
cd "$2"
"$compiler" -std=c17 -O1 -Wall -Wextra -Werror -D_WIN32_WINNT=0x0A00 -D__USE_MINGW_ANSI_STDIO=1 -Isrc -o "$scratch/platform.exe" \
    tests/ports/platform.c src/base/windows/*.c src/base/platform_folder.c src/base/buf.c src/base/error.c src/base/text.c src/base/arena.c
mkdir "$scratch/here"
mkdir -p "$cache"
WINEPREFIX=$cache/wine WINEDEBUG=-all "$wine" "$scratch/platform.exe" "Z:$scratch/here" 2>"$scratch/complaints" || {
    grep -v '^wine: ' "$scratch/complaints"
    exit 1
}
[ -z "$(ls -A "$scratch/here")" ]
