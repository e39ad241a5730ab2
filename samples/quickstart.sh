#!/usr/bin/env bash
# From nothing to an instrumented library, on Debian 12: installs what is missing, builds methodbeat,
# instruments guava.jar and shows what came out.
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
    meson setup $build --buildtype release -Dtests=disabled >/dev/null
fi
ninja -C $build src/cli/methodbeat | tail -1
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

say 'a program on the instrumented jar, with a runtime that counts the calls'
mkdir -p "$result/runtime"
javac -nowarn -d "$result/runtime" $(find tests/jvm/runtime samples/android/stubs -name '*.java')
java -Xverify:all -cp "$result/guava.jar:$result/runtime" samples/Words.java 2>&1 |
    grep -v 'Options -Xverify'

say "all of it is in $result; the command is $methodbeat"
