#!/bin/sh
# Instrument a Java program, run it as it was and with the recorder in both flavours, report on each.
# What the program writes to standard output must be the same all three times.
# usage: run-java.sh JAR[:LIBRARY_JAR...] MAIN_CLASS ARGUMENT...
#   BUILD=FOLDER       where methodbeat was built (default: build)
#   JAVA_OPTS=...      more options for java, e.g. -Dmethodbeat.threads=all
set -eu
[ $# -ge 2 ] || { sed -n '2,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
root=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "${BUILD:-$root/build}" && pwd)
methodbeat=$build/src/cli/methodbeat
jars=$1 main=$2
shift 2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

program=${jars%%:*}
libraries=${jars#"$program"}
"$methodbeat" instrument --output "$work/out" "$program"
map=$work/out/methodMapping.txt

# shellcheck disable=SC2086
java ${JAVA_OPTS:-} -cp "$jars" "$main" "$@" >"$work/plain.txt"
for flavour in mapped native; do
    trace=$work/$flavour.mbtrace
    echo "== $flavour"
    # shellcheck disable=SC2086
    java -Dmethodbeat.library="$build/src/jni/libmethodbeat.so" -Dmethodbeat.flavour=$flavour \
        -Dmethodbeat.file="$trace" -Dmethodbeat.mapping="$map" ${JAVA_OPTS:-} \
        -cp "$build/src/jni/methodbeat-runtime.jar:$work/out/$(basename "$program")$libraries" \
        "$main" "$@" >"$work/$flavour.txt"
    cmp "$work/plain.txt" "$work/$flavour.txt"
    "$methodbeat" report --method-map "$map" "$trace"
done
