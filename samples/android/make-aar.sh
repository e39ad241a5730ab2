#!/usr/bin/env bash
# Build methodbeat-android.aar: the recorder for three machines, its Java half, what the app's monitors
# are fed by, and the rules for R8.
# usage: samples/android/make-aar.sh OUTPUT.aar [BUILD-FOLDER]
# The bin folder of the NDK's compilers is on PATH (NDK/toolchains/llvm/prebuilt/linux-x86_64/bin); a JDK,
# Meson, Ninja and zip, too.
set -euo pipefail
[ $# -ge 1 ] || { sed -n '4s/^# //p' "$0"; exit 2; }
output=$(realpath -m "$1")
build=$(realpath -m "${2-build-aar}")
cd "$(dirname "$0")/../.."

configure() {
    meson setup "$@" --buildtype release -Donly_recorder=true >"$build/setup.log" ||
        { cat "$build/setup.log" >&2; exit 1; }
}

if [ -n "$(ls -A "$build" 2>/dev/null)" ] && [ ! -e "$build/setup.log" ]; then
    echo "$build: not empty, and no build folder of this script" >&2
    exit 1
fi
rm -rf "$build"
mkdir -p "$build/aar" "$build/classes"

# The Java half is the same everywhere.
configure "$build/java" -Djni=enabled
ninja --quiet -C "$build/java" src/jni/methodbeat-runtime.jar src/jni/methodbeat-android.jar
for jar in runtime android; do
    (cd "$build/classes" && jar xf "$build/java/src/jni/methodbeat-$jar.jar" methodbeat)
done
jar cfM "$build/aar/classes.jar" -C "$build/classes" methodbeat
cp src/jni/methodbeat.pro "$build/aar/proguard.txt"
cp samples/android/AndroidManifest.xml "$build/aar"
: >"$build/aar/R.txt"

for abi in arm64-v8a armeabi-v7a x86_64; do
    configure "$build/$abi" --cross-file "samples/android/ndk/$abi.ini"
    ninja --quiet -C "$build/$abi" src/jni/libmethodbeat.so
    mkdir -p "$build/aar/jni/$abi"
    llvm-strip --strip-unneeded -o "$build/aar/jni/$abi/libmethodbeat.so" \
        "$build/$abi/src/jni/libmethodbeat.so"
done
rm -f "$output"
(cd "$build/aar" && zip -q -X -r "$output" AndroidManifest.xml classes.jar R.txt proguard.txt jni)
