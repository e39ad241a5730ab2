#!/usr/bin/env bash
# Fail if a library that programs load is larger than it may be, without its symbols.
# usage: tests/check_size.sh LIBRARY BYTES
set -euo pipefail
stripped=$(mktemp)
trap 'rm -f "$stripped"' EXIT
strip -o "$stripped" "$1"
size=$(stat -c %s "$stripped")
echo "$1: $size bytes of $2"
[ "$size" -le "$2" ]
