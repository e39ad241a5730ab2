#!/usr/bin/env bash
# Install what is missing, build, test, count.
# usage: tests/run.sh            the suite quick: the sanitizer build and its tests, some minutes
#        tests/run.sh --all      every suite of tests/suites.txt
#        tests/run.sh SUITE...   these, by the names of tests/suites.txt
# With "--within MINUTES" before that, no suite begins that would end later; which ones did not is said.
# The last line is "N passed, N failed" (", N skipped" may follow); exit 1 when something failed.
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/packages.sh

within=
if [ "${1-}" = --within ]; then
    within=${2-}
    [[ $within =~ ^[0-9]+$ ]] || { sed -n '2,7s/^# //p' "$0" >&2; exit 2; }
    shift 2
fi
minutes_of() { awk -v suites=" $* " 'index(suites, " " $1 " ") {sum += $2} END {print sum + 0}' tests/suites.txt; }
mapfile -t all_suites < <(awk '/^[a-z]/ {print $1}' tests/suites.txt)
suites=("${@:-quick}")
[ "${suites[*]}" != --all ] || suites=("${all_suites[@]}")
for suite in "${suites[@]}"; do
    if [[ " ${all_suites[*]} " != *" $suite "* ]]; then
        sed -n '2,7s/^# //p' "$0" >&2
        echo "suites: ${all_suites[*]}" >&2
        exit 2
    fi
done

# They need a JVM's verdict on many classes, or downloads. What they check is the output, so they use the release
# build, and run side by side.
outer_suites=(jvm android art gradle bazel channels targets corpus golden faults engines)
quick_suites=(--no-suite jvm --no-suite android --no-suite art --no-suite gradle --no-suite bazel
    --no-suite channels --no-suite targets --no-suite corpus --no-suite golden --no-suite faults --no-suite engines --no-suite slow --no-suite bench)
# Another compiler compiles the product, and runs where the order of memory and its layout matter; what ThreadSanitizer
# has seen once is left out.
by_clang=(--no-suite tsan --suite base --suite abi --suite classfile --suite recorder --suite watch --suite sampler
    --suite process --suite profile --suite spool --suite live)
logs=()

# Meson finds ccache by itself where it chooses the compiler.
clang="$(command -v ccache || true) clang-14"

# configure FOLDER OPTION...: again, if the options changed.
configure() {
    local again=()
    [ ! -f "$1/build.ninja" ] || again=(--reconfigure)
    meson setup "${again[@]}" "$@" >"$1.log" 2>&1 || { cat "$1.log"; return 1; }
}

# compile FOLDER TARGET...: without one, all.
compile() {
    ninja -C "$@" >"$1.log" 2>&1 || { grep -v '^\[' "$1.log"; return 1; }
    rm -f "$1.log"
}

# build FOLDER OPTION... [-- TEST-OPTION...]: all, or what the tests that meson test takes so need.
build() {
    local options=() needed=() folder=$1
    shift
    while [ $# -gt 0 ] && [ "$1" != -- ]; do
        options+=("$1")
        shift
    done
    configure "$folder" "${options[@]}" || return 1
    if [ $# -gt 0 ]; then
        mapfile -t needed < <(python3 tests/needed.py "$folder" "${@:2}")
        [ ${#needed[@]} -gt 0 ] || return 1
    fi
    compile "$folder" "${needed[@]}"
}

# One more than there are processors: many tests wait for a program, or for time to pass. Of the
# outer suites most do.
export MESON_TESTTHREADS=$(($(nproc) + 1))
outer_threads=$((2 * $(nproc) + 1))

# check FOLDER MESON-TEST-OPTION...: run the tests there; the log is counted at the end. A test may take four
# times as long as it asks for: the machine may be busy, and only what hangs has to be stopped.
check() {
    local folder=$1
    local log=$folder/meson-logs/testlog
    shift
    echo "== $folder: meson test $*"
    rm -f "$log.json"
    meson test -C "$folder" --no-rebuild --print-errorlogs --timeout-multiplier 4 "$@" || true
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
steps_passed=0 steps_failed=0

# begin WHAT COMMAND...: while tests wait, on processors that nothing else wants. What finish is told says how it ended.
declare -A begun=()
begin() {
    local what=$1
    shift
    [ -z "${begun[$what]+set}" ] || return 0
    (chrt --idle --pid 0 "$BASHPID" || true; "$@") >"build-$what.out" 2>&1 &
    begun[$what]=$!
}

# finish WHAT COMMAND...: run it, if it was not begun.
finish() {
    local what=$1 status=0
    shift
    [ -n "${begun[$what]-}" ] || { begun[$what]=; "$@"; return; }
    wait "${begun[$what]}" || status=$?
    cat "build-$what.out"
    rm -f "build-$what.out"
    return $status
}

build_fuzzers() {
    rm -rf build-fuzz # when Meson configures again, it falls back to standalone
    CC=$clang configure build-fuzz --buildtype debugoptimized -Dtests=enabled \
        -Db_sanitize=address,undefined -Db_lundef=false -Dfuzzers=libfuzzer || return 1
    rm -f build-fuzz.log
    tests/fuzz/run.sh build-fuzz 0
}

# Let each fuzz target look for something new for some seconds; new crashes fail.
fuzz() {
    finish fuzzers build_fuzzers && tests/fuzz/run.sh build-fuzz 10 1
}

# Valgrind sees what sanitizers do not: the release build, and values that were never set.
find_unset_values() {
    local jar=/usr/share/java/asm.jar
    local scratch
    scratch=$(mktemp -d)
    local status=0
    for _ in first again; do
        valgrind --quiet --error-exitcode=9 --leak-check=no \
            build-release/src/cli/methodbeat instrument --output "$scratch/out" \
            --state "$scratch/state" "$jar" || status=1
    done
    cmp -s "$jar" "$scratch/out/asm.jar" && status=1
    rm -rf "$scratch"
    return $status
}

# ThreadSanitizer over whole runs of the instrumenter: jars side by side, again with a state, one
# large jar, one merged jar, a folder, and jars of which nothing is held among folders of which all is.
# A race is exit code 66.
find_races() {
    local jars=(/usr/share/java/guava.jar /usr/share/java/asm.jar /usr/share/java/commons-cli.jar)
    local annotations=/usr/share/java/jsr305.jar # which guava depends on
    local status=0
    local scratch number
    configure build-races --buildtype debugoptimized -Db_sanitize=thread -Db_lundef=false \
        -Djni=disabled && compile build-races src/cli/methodbeat || return 1
    scratch=$(mktemp -d)
    mkdir "$scratch/folder"
    unzip -q -n "${jars[1]}" -d "$scratch/folder"
    for number in {10..21}; do
        cp "$annotations" "$scratch/mixed-$number.jar"
        unzip -q -n "${jars[2]}" -d "$scratch/mixed-$number"
    done
    local run=(build-races/src/cli/methodbeat instrument --quiet --jobs 4)
    for _ in first again; do
        "${run[@]}" --output "$scratch/jars" --state "$scratch/state" "${jars[@]}" || status=1
    done
    "${run[@]}" --output "$scratch/large" --compression store "${jars[0]}" || status=1
    "${run[@]}" --output-jar "$scratch/all.jar" --explain "$scratch/why" "${jars[@]}" || status=1
    "${run[@]}" --output "$scratch/classes" "$scratch/folder" || status=1
    for _ in first again; do
        "${run[@]}" --output "$scratch/mixed" "$scratch"/mixed-* || status=1
    done
    rm -rf "$scratch"
    return $status
}

# Each at most once.
build_sanitized() {
    $is_sanitized_built || step 'sanitizer build' build build --native-file tests/dev.ini
    is_sanitized_built=true
}
is_sanitized_built=false

# What the outer suites need from registries, and ART. It waits for others more than it computes, so that the first
# suites run meanwhile; what is out of reach is said by the suite that needs it.
fetch_supplies() {
    local corpora
    mapfile -t corpora < <(tests/corpus/fetch.sh --list)
    tests/corpus/fetch.sh "${corpora[@]}" || true
    ! is_chosen art || nice tests/art/build.sh || true
}

await_supplies() {
    [ -z "$fetching" ] || wait "$fetching"
    fetching=
}
fetching=

build_outer() {
    build build-release --buildtype release -Dwerror=true -Dtests=enabled -- "${outer_suites[@]/#/--suite=}"
}

build_release() {
    $is_release_built || step 'release build' finish release build_outer
    is_release_built=true
}
is_release_built=false

is_chosen() {
    [[ " ${suites[*]} " == *" $1 "* ]]
}

# ---- The suites ----

run_quick() {
    build_sanitized
    ! $has_outer || begin release build_outer
    check build "${quick_suites[@]}"
}

run_slow() {
    build_sanitized
    check build --suite slow --no-suite fuzz # libFuzzer looks longer, and with more sense
}

# run_outer SUITE...: side by side.
run_outer() {
    build_release
    ! $is_sanitized_built || ! is_chosen tidy || begin tidy ninja --quiet -C build tidy
    ! is_chosen clang || begin clang build_by_clang
    ! is_chosen fuzzers || begin fuzzers build_fuzzers
    await_supplies
    MESON_TESTTHREADS=$outer_threads check build-release "${@/#/--suite=}"
}

build_by_clang() {
    CC=$clang build build-clang --buildtype debugoptimized -Dwerror=true -Dtests=enabled \
        -- "${by_clang[@]}" "${quick_suites[@]}" && compile build-clang src/cli/methodbeat src/agent/libmethodbeat-agent.so
}

run_clang() {
    step 'clang build' finish clang build_by_clang
    check build-clang "${by_clang[@]}" "${quick_suites[@]}"
}

run_tidy() {
    build_sanitized
    step 'clang-tidy' finish tidy ninja --quiet -C build tidy
}

run_fuzzers() {
    step 'fuzzers' fuzz
}

run_memcheck() {
    build_release
    step 'memcheck' find_unset_values
}

run_bench() {
    step 'benchmark' tests/bench/run.sh --smoke
}

run_races() {
    step 'races' find_races
}

install_packages "${build_packages[@]}" "${test_packages[@]}"
if [ "${suites[*]}" != quick ]; then
    install_packages "${slow_packages[@]}"
fi
# Outer suites that are neighbours run side by side.
is_outer() {
    [[ " ${outer_suites[*]} " == *" $1 "* ]]
}
groups=()
has_outer=false
for suite in "${suites[@]}"; do
    ! is_outer "$suite" || has_outer=true
    if is_outer "$suite" && [ ${#groups[@]} -gt 0 ] && is_outer "${groups[-1]##* }"; then
        groups[-1]+=" $suite"
    else
        groups+=("$suite")
    fi
done
if $has_outer; then
    fetch_supplies >/dev/null &
    fetching=$!
fi
echo "suites: ${suites[*]}"
minutes=()
late=()
for group in "${groups[@]}"; do
    begin=$SECONDS
    if [ -n "$within" ] && ((begin + 60 * $(minutes_of "$group") > within * 60)); then
        late+=("$group")
        continue
    elif is_outer "${group##* }"; then
        # shellcheck disable=SC2086
        run_outer $group
    else
        "run_$group"
    fi
    minutes+=("$group $(((SECONDS - begin + 30) / 60))")
done
echo "minutes:$(printf ' %s,' "${minutes[@]}")"
[ ${#late[@]} -eq 0 ] || echo "not run, since $within minutes were over: ${late[*]}"
for suite in "${all_suites[@]}"; do
    is_chosen "$suite" || echo "not run: $suite"
done
wait # for what was begun and came too late
exec python3 tests/count.py "$steps_passed" "$steps_failed" "${logs[@]}"
