#!/bin/sh
# The cost of one i and o pair, in C and in Java. Makes a release build of its own.
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
mkdir "$work/loop" "$work/bench"
for rival in upstream empty none; do
    mkdir "$work/$rival"
    javac -d "$work/$rival" "$here/java/$rival/methodbeat/MethodBeat.java"
done
javac -cp "$work/upstream" -d "$work/loop" "$here/java/bench/Loop.java" \
    "$here/java/bench/CallLoop.java"
javac -d "$work/bench" "$here/java/bench/Bench.java"
echo
java -Xlog:disable -XX:CompileCommand=quiet -XX:CompileCommand=dontinline,CallLoop::call \
    -cp "$work/bench" Bench "$work" "$runtime" "$build/src/jni/libmethodbeat.so" \
    "$build/tests/bench/recorder/libbench_empty_jni.so" "$rounds" 2>"$work/log" || cat "$work/log"
echo
javac -cp "$runtime" -d "$work/bench" "$here/java/message/MessageLoop.java"
java -Dmethodbeat.library="$build/src/jni/libmethodbeat.so" -Dmethodbeat.cpu_enable=0 \
    -cp "$work/bench:$runtime" MessageLoop "$rounds" 2>"$work/log" || cat "$work/log"
