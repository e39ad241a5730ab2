#!/usr/bin/env bash
# From nothing to a report, on Debian 12: installs what is missing, builds methodbeat, instruments
# guava.jar, runs a program on it with the recorder and shows which methods cost what.
# usage: samples/quickstart.sh [FOLDER]     FOLDER: where results go, default build-quickstart/result
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/packages.sh
build=build-quickstart
result=${1:-$build/result}

say() {
    printf '\n== %s\n' "$*"
}

say 'install and build'
install_packages "${build_packages[@]}" "${run_packages[@]}"
if [ ! -f $build/build.ninja ]; then
    meson setup $build --buildtype release >/dev/null
fi
ninja -C $build | tail -1
methodbeat=$build/src/cli/methodbeat
jar=$(tests/corpus/fetch.sh guava)

say "instrument $jar"
echo "\$ methodbeat instrument --output $result $jar"
time $methodbeat instrument --output "$result" "$jar"
ls -l "$jar" "$result"

say 'methodMapping.txt: id,access,class method descriptor'
head -3 "$result/methodMapping.txt"
say 'ignoreMethodMapping.txt: what is not worth a probe'
head -3 "$result/ignoreMethodMapping.txt"

method='java.lang.String join(java.lang.Iterable<'
show() {
    javap -c -p -cp "$1" com.google.common.base.Joiner |
        awk -v method="$method" 'index($0, method) { on = 1 } on && !NF { exit } on'
}
say "before: Joiner.join"
show "$jar"
say "after"
show "$result/guava.jar"

say 'a program on the instrumented jar, with the recorder'
mkdir -p "$result/words"
javac -cp "$result/guava.jar" -d "$result/words" samples/Words.java
trace=$result/words.mbtrace
java -Dmethodbeat.library=$build/src/jni/libmethodbeat.so -Dmethodbeat.flavour=native \
    -Dmethodbeat.file="$trace" -Dmethodbeat.mapping="$result/methodMapping.txt" \
    -cp "$build/src/jni/methodbeat-runtime.jar:$result/guava.jar:$result/words" Words

say 'which methods cost what'
echo "\$ methodbeat report --method-map $result/methodMapping.txt --top 8 $trace"
$methodbeat report --method-map "$result/methodMapping.txt" --top 8 "$trace"

page=$result/words.html
$methodbeat report --method-map "$result/methodMapping.txt" --output "$page" "$trace"
say "the same as a page for a browser: $page"
say "all of it is in $result; the command is $methodbeat"
