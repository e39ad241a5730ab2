#!/usr/bin/env bash
# From nothing to a report, on Debian 12: installs what is missing, builds methodbeat, records a program as it is
# (methodbeat run), then the same at build time: instruments guava.jar, runs the program on it, shows which methods cost
# what. At the end it says how to have the command on PATH.
# usage: samples/quickstart.sh [FOLDER]     FOLDER: where results go, default build-quickstart/result
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/packages.sh
build=build-quickstart
result=${1:-$build/result}

say() {
    printf '\n== %s\n' "$*"
}

# Run a command, after printing it, with the built methodbeat by its short name.
show_command() {
    printf '\n$ %s\n' "$*"
    "$@"
}

say 'install and build: some minutes'
install_packages "${build_packages[@]}" "${run_packages[@]}"
if [ ! -f $build/build.ninja ]; then
    meson setup $build --buildtype release >/dev/null
fi
ninja -C $build | tail -1
PATH=$PWD/$build/src/cli:$PATH
jar=$(tests/corpus/fetch.sh guava)
mkdir -p "$result/words"
javac -cp "$jar" -d "$result/words" samples/Words.java

say 'a program on guava.jar, as it is: probes go in as its classes load'
show_command methodbeat run --trace "$result/run.mbtrace" java -cp "$jar:$result/words" Words

say 'the same at build time, for Android, for stable ids, for jars that others run'
time show_command methodbeat instrument --output "$result" "$jar"
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

say 'the program on the instrumented jar, with the recorder'
trace=$result/words.mbtrace
show_command java -Dmethodbeat.library=$build/src/jni/libmethodbeat.so -Dmethodbeat.flavour=native \
    -Dmethodbeat.file="$trace" -Dmethodbeat.mapping="$result/methodMapping.txt" \
    -cp "$build/src/jni/methodbeat-runtime.jar:$result/guava.jar:$result/words" Words

say 'which methods cost what'
show_command methodbeat report --method-map "$result/methodMapping.txt" --top 8 "$trace"

page=$result/words.html
show_command methodbeat report --method-map "$result/methodMapping.txt" --output "$page" "$trace"

# Where man looks for pages of what PATH finds.
mkdir -p $build/src/cli/man/man1
for manual in $build/src/cli/methodbeat*.1; do
    ln -sf "../../${manual##*/}" $build/src/cli/man/man1
done
say "all of it is in $result; the page is for a browser. What next?"
cat <<END
methodbeat in this shell, with its manual; a program of yours; the page of a command:
  PATH=$PWD/$build/src/cli:\$PATH
  methodbeat run java -jar YOUR.jar
  man methodbeat-report
As root, all of it below /usr/local; or packages for machines that do not build:
  ninja -C $build install
  samples/release.sh linux-x64
END
