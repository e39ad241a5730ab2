#!/bin/sh
# Compile the Java half for Java 8 and pack it, without the stubs that only the compiler needs, with
# the keep rules where tools that shrink programs look for those of a library.
# usage: make_jar.sh JAVAC JAR OUTPUT SCRATCH RULES CLASS_PATH SOURCE...   CLASS_PATH -: none
set -eu
javac=$1 jar=$2 output=$3 scratch=$4 rules=$5 path=$6
shift 6
[ "$path" != - ] || path=$scratch
rm -rf "$scratch"
mkdir -p "$scratch"
target='--release 8'
"$javac" -version 2>&1 | grep -q '^javac 1\.' && target='-source 8 -target 8'
# shellcheck disable=SC2086
"$javac" $target -Xlint:all,-options -Werror -cp "$path" -d "$scratch" "$@"
for place in proguard com.android.tools/r8; do
    mkdir -p "$scratch/META-INF/$place"
    cp "$rules" "$scratch/META-INF/$place/$(basename "$output" .jar).pro"
done
"$jar" cf "$output" -C "$scratch" methodbeat -C "$scratch" META-INF
