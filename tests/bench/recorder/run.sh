#!/bin/sh
# The cost of one i and o pair in C, and of a message through JNI. Makes a release build of its own.
# usage: run.sh [ROUNDS]
set -eu
rounds=${1:-9}
root=$(cd "$(dirname "$0")/../../.." && pwd)
here=$root/tests/bench/recorder
build=$root/build-bench-recorder
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
[ -d "$build" ] || meson setup "$build" "$root" -Donly_recorder=true \
    -Dbenchmarks=true >"$work/log" || { cat "$work/log"; exit 1; }
ninja -C "$build" >"$work/log" || { cat "$work/log"; exit 1; }

"$build/tests/bench/recorder/bench_native" "$rounds"

runtime=$build/src/jni/methodbeat-runtime.jar
[ -f "$runtime" ] || exit 0
mkdir "$work/bench"
javac -cp "$runtime" -d "$work/bench" "$here/java/message/MessageLoop.java"
java -Dmethodbeat.library="$build/src/jni/libmethodbeat.so" -Dmethodbeat.cpu_enable=0 \
    -cp "$work/bench:$runtime" MessageLoop "$rounds" 2>"$work/log" || cat "$work/log"
