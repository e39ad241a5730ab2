#!/usr/bin/env bash
# From nothing to a report: installs what is missing, builds methodbeat, instruments a real jar (YUI
# Compressor, of Debian), runs it with the recorder and shows what it recorded.
# usage: samples/quickstart.sh [FOLDER]     what it makes goes to FOLDER, build-quickstart if not given
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/packages.sh

case "${1-}" in
-*)
    sed -n '2,4s/^# //p' "$0"
    exit 2
    ;;
esac
work=${1:-build-quickstart}
jars=/usr/share/java
say() { printf '\n== %s\n' "$*"; }

say "installing what is missing"
install_packages "${build_packages[@]}" openjdk-17-jdk-headless yui-compressor

say "building"
mkdir -p "$work"
work=$(cd "$work" && pwd)
if [ ! -f "$work/build/build.ninja" ]; then
    meson setup "$work/build" --buildtype=release -Dtests=disabled >"$work/build.log"
fi
ninja -C "$work/build" >"$work/build.log" || {
    cat "$work/build.log"
    exit 1
}
methodbeat=$work/build/src/cli/methodbeat
recorder=$work/build/src/jni
"$methodbeat" --version

say "methodbeat instrument -o out yuicompressor.jar"
"$methodbeat" instrument --output "$work/out" "$jars/yuicompressor.jar"
head -4 "$work/out/methodMapping.txt"

method=enterScope
class=com/yahoo/platform/yui/compressor/JavaScriptCompressor.class
say "$method before and after"
"$methodbeat" dump --method "$method" "$jars/yuicompressor.jar!$class"
"$methodbeat" dump --method "$method" "$work/out/yuicompressor.jar!$class"

say "running it with the recorder"
for ((i = 0; i < 3000; i++)); do
    echo "function f$i(first, second) {
        var sum = first + second * $i;
        if (sum > $i) { return f$i(sum - 1, second); }
        return { name: 'f$i', value: sum };
    }"
done >"$work/in.js"
run=(java -Dmethodbeat.library="$recorder/libmethodbeat.so" -Dmethodbeat.file="$work/yui.mbtrace"
    -Dmethodbeat.flavour=native
    -Dmethodbeat.mapping="$work/out/methodMapping.txt"
    -cp "$recorder/methodbeat-runtime.jar:$work/out/yuicompressor.jar:$jars/jargs.jar"
    com.yahoo.platform.yui.compressor.YUICompressor -o "$work/out.js" "$work/in.js")
"${run[@]}"
ls -l "$work/in.js" "$work/out.js" "$work/yui.mbtrace"

say "methodbeat report yui.mbtrace"
"$methodbeat" report --top 10 --method-map "$work/out/methodMapping.txt" "$work/yui.mbtrace"

say "done: everything is in $work"
