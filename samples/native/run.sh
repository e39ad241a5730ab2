#!/bin/sh
# Compile primes.c against a build of methodbeat, run it, report on its trace.
# usage: run.sh [BUILD_FOLDER]     (default: build; or what `ninja install` put where pkg-config looks)
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if [ -f "$build/src/jni/libmethodbeat.so" ]; then
    flags="-I$here/../../src/recorder -L$build/src/jni -Wl,-rpath,$build/src/jni -lmethodbeat"
    methodbeat=$build/src/cli/methodbeat
else
    flags=$(pkg-config --cflags --libs methodbeat)
    methodbeat=methodbeat
fi
# shellcheck disable=SC2086
${CC:-cc} -std=c17 -O2 -Wall -Wextra -o "$work/primes" "$here/primes.c" $flags -pthread
"$work/primes" "$work/primes.mbtrace" "$here/methodMapping.txt"
"$methodbeat" report --method-map "$here/methodMapping.txt" "$work/primes.mbtrace"
