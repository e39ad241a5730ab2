#!/usr/bin/env bash
# Install what is missing, build, test, count.
# usage: tests/run.sh          the sanitizer build and its quick suites, a minute or two
#        tests/run.sh --all    what CI runs: also the JVM, the corpora, clang, aarch64, options
# The last line is "N passed, N failed" (", N skipped" may follow); exit 1 when something failed.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/packages.sh

all=false
case "${1-}" in
'') ;;
--all) all=true ;;
*)
    sed -n '2,5s/^# //p' "$0"
    exit 2
    ;;
esac

# The outer suites need a JVM's verdict on many classes or downloads. What they check is the output,
# so they use the release build.
outer_suites=(--suite jvm --suite corpus --suite golden)
quick_suites=(--no-suite jvm --no-suite corpus --no-suite golden --no-suite slow --no-suite bench)
logs=()

# build FOLDER OPTION...: configure (again, if the options changed) and compile.
build() {
    local folder=$1
    shift
    if [ -f "$folder/build.ninja" ]; then
        meson setup --reconfigure "$folder" "$@" >"$folder.log" 2>&1 || { cat "$folder.log"; return 1; }
    else
        meson setup "$folder" "$@" >"$folder.log" 2>&1 || { cat "$folder.log"; return 1; }
    fi
    ninja -C "$folder" >"$folder.log" 2>&1 || { grep -v '^\[' "$folder.log"; return 1; }
    rm -f "$folder.log"
}

# check FOLDER MESON-TEST-OPTION...: run the tests there; the log is counted at the end.
check() {
    local folder=$1
    local log=$folder/meson-logs/testlog
    shift
    echo "== $folder: meson test $*"
    rm -f "$log.json"
    meson test -C "$folder" --no-rebuild --print-errorlogs "$@" || true
    [ -f "$log.json" ] || return 0
    logs+=("$log-${#logs[@]}.json")
    mv "$log.json" "${logs[-1]}"
}

# A step that is no test of Meson's still counts as one.
step() {
    local what=$1
    shift
    echo "== $what"
    if "$@"; then
        steps_passed=$((steps_passed + 1))
    else
        echo "FAILED: $what"
        steps_failed=$((steps_failed + 1))
    fi
}
steps_passed=0
steps_failed=0

# What is checked for every change: the sanitizer build.
quick() {
    step 'sanitizer build' build build --native-file tests/dev.ini
    check build "${quick_suites[@]}"
}

# The rest: other compilers and options, and what needs a JVM, downloads or minutes.
slow() {
    check build --suite slow
    step 'release build' build build-release --buildtype release -Dwerror=true -Dtests=enabled
    check build-release "${outer_suites[@]}"
    CC=clang-14 step 'clang build' build build-clang --buildtype debugoptimized -Dwerror=true \
        -Dtests=enabled -Dbenchmarks=true
    check build-clang "${quick_suites[@]}"
    step 'options off' build build-off -Dwerror=true -Dauto_features=disabled --fatal-meson-warnings
}

install_packages "${build_packages[@]}" "${test_packages[@]}"
if $all; then
    install_packages "${slow_packages[@]}"
fi
quick
if $all; then
    slow
fi
exec python3 tests/count.py "$steps_passed" "$steps_failed" "${logs[@]}"
