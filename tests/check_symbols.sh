#!/bin/sh
# Every global symbol of a folder's library carries the folder's prefix; crc32 is zlib's, which
# archive answers for libzip, Agent_On... a JVM's.
# usage: check_symbols.sh LIB LAYERS_TXT FOLDER
set -eu
prefix=$(awk -v folder="$3:" '$1 == folder { print $2 }' "$2")
[ -n "$prefix" ] || { echo "$3 is not in $2"; exit 1; }
bad=$(nm -g --defined-only "$1" | awk 'NF == 3 { print $3 }' |
    grep -v -e "^$prefix" -e '^crc32$' -e '^Agent_On' -e '^__asan' -e '^__odr_asan' -e '^__ubsan' -e '^__tsan' -e '^_GLOBAL__' || true)
[ -z "$bad" ] || { echo "without the prefix $prefix: $bad"; exit 1; }
