#!/bin/sh
# Compile Desk.java against a build of methodbeat, run it, tell what stood still.
# usage: run.sh [BUILD_FOLDER]     default: the folder build; a release build, since no JVM loads a library
#                                  with sanitizers
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "${1:-$here/../../../build}" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
javac -cp "$build/src/jni/methodbeat-runtime.jar" -d "$work" "$here/Desk.java"
java -Dmethodbeat.library="$build/src/jni/libmethodbeat.so" -Dmethodbeat.cpu_enable=0 \
    -cp "$work:$build/src/jni/methodbeat-runtime.jar" Desk >"$work/desk.log"
"$build/src/cli/methodbeat" issues "$work/desk.log"
