#!/bin/sh
# Every header of the product compiles alone, so that no one depends on the order of includes.
# usage: check_headers.sh ROOT CC...
set -u
root=$1
shift
failures=0
cd "$root" || exit 1
for header in $(find src classfile rules -name '*.h' | sort); do
    case $header in
    src/jni/*) continue ;; # need a JDK
    src/export/perfetto.h) continue ;; # needs what protoc-c makes
    esac
    if ! printf '#include "%s"\n' "${header#src/}" |
        "$@" -std=c17 -D_DEFAULT_SOURCE -Wall -Wextra -Werror -I. -Isrc -fsyntax-only -x c -; then
        echo "$header does not compile alone"
        failures=$((failures + 1))
    fi
done
[ "$failures" -eq 0 ]
