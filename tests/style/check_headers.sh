#!/bin/sh
# Every header of the product compiles alone, so that no one depends on the order of includes.
# usage: check_headers.sh ROOT CC...
set -u
cd "$1" || exit 1
shift
# Not those that need a JDK or Windows, or what protoc-c makes.
find src classfile rules -name '*.h' ! -path 'src/jni/*' ! -path src/formats/perfetto.h -print0 |
    xargs -0 grep -LZE '#include <(jni|jvmti|windows)\.h>' |
    xargs -0 -n 30 -P "$(nproc)" "$@" -std=c17 -D_DEFAULT_SOURCE -Wall -Wextra -Wno-unused-function -Werror -I. \
    -Isrc -fsyntax-only -x c-header
