#!/usr/bin/env bash
# Real programs at default settings: cost, coverage, agreement with JFR, counts; tests/README.md explains.
# usage: run.sh [-n ROUNDS] [--runs N] [--beside BUILD] [--steps LIST] [--limit SECONDS] [--set NAME=VALUE,...] [--work DIR] [PROGRAM...]
# PROGRAM: h2 fop closure javac kotlinc vnu (all)
# LIST, by commas: speed coverage samples wall counting catch tune report, or agent, records; after --limit (690) none begins.
# --runs: that step wall adds up. --beside: a release build of another commit, which steps speed and agent time in the same rounds.
# --work keeps inputs, probed jars, traces and samples there; else a temporary folder that goes away.
# METHODBEAT_BUILD: a release build to judge; else one is made below the cache.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
. "$root/tests/packages.sh"
install_packages "${build_packages[@]}" "${run_packages[@]}" openjdk-17-source python3

build=${METHODBEAT_BUILD:-$cache/build-programs}
{
    [ -d "$build" ] || meson setup "$build" "$root" --buildtype=release
    ninja -C "$build"
} >&2
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/table.py" "$build/src/cli/methodbeat" \
    "$build/src/jni/methodbeat-runtime.jar" "$build/src/jni/libmethodbeat.so" "$@"
