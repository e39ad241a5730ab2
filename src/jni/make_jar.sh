#!/bin/sh
# Compile the Java half for Java 8 and pack it, without the stubs that only the compiler needs.
# usage: make_jar.sh JAVAC JAR OUTPUT SCRATCH CLASS_PATH SOURCE...   CLASS_PATH -: none
set -eu
javac=$1 jar=$2 output=$3 scratch=$4 path=$5
shift 5
[ "$path" != - ] || path=$scratch
rm -rf "$scratch"
mkdir -p "$scratch"
target='--release 8'
"$javac" -version 2>&1 | grep -q '^javac 1\.' && target='-source 8 -target 8'
# shellcheck disable=SC2086
"$javac" $target -Xlint:all,-options -Werror -cp "$path" -d "$scratch" "$@"
"$jar" cf "$output" -C "$scratch" methodbeat
