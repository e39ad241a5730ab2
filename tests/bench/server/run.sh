#!/usr/bin/env bash
# A server under load of 64 connections, recorded at default settings and not recorded, in turn.
# usage: run.sh [--seconds N] [--rounds N] [--server tomcat,jetty,virtual] [--set NAME=VALUE]... [--agent FILE]
#        run.sh --pairs N [--seconds N] ...    CPU a request as minimum of N rounds in turn, share of samples in probes
#        run.sh --attach [--rounds N] [--seconds N]     the longest request while methodbeat attach comes and goes
# METHODBEAT_BUILD: a release build to judge; else one is made below the cache. JAVA_HOME: another JDK.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../../.." && pwd)
. "$root/tests/packages.sh"
install_packages "${build_packages[@]}" "${run_packages[@]}" python3 wrk

build=${METHODBEAT_BUILD:-$cache/build-programs}
{
    [ -d "$build" ] || meson setup "$build" "$root" --buildtype=release
    ninja -C "$build"
} >&2
[ -z "${JAVA_HOME-}" ] || export PATH=$JAVA_HOME/bin:$PATH
PYTHONDONTWRITEBYTECODE=1 exec python3 "$here/server.py" "$build/src/cli/methodbeat" \
    "$build/src/jni/methodbeat-runtime.jar" "$build/src/jni/libmethodbeat.so" "$here/load.lua" "$@"
