#!/usr/bin/env bash
# Let libFuzzer look for new inputs that break a promise, for a while with each target.
# usage: run.sh BUILD SECONDS [SEED]   BUILD: configured with -Dfuzzers=libfuzzer; 0 seconds: only build the targets
# With SEED a run takes the same ways as the last one, so that a change is judged by itself.
# What a target died of stays in BUILD/found/<target>; exit 1 if there is anything.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
seconds=$2
seed=${3-0}

targets=()
for source in "$here"/fuzz_*.c; do
    targets+=("tests/fuzz/$(basename "$source" .c)")
done
ninja -C "$build" "${targets[@]}" >"$build/fuzz.log" || { grep -v '^\[' "$build/fuzz.log"; exit 1; }
[ "$seconds" -gt 0 ] || exit 0

# A target without a corpus of its name uses that of the classes.
try() {
    local target=$1 corpus found
    corpus=$here/corpus/${target#fuzz_}
    [ -d "$corpus" ] || corpus=$here/corpus/class
    found=$build/found/$target
    rm -rf "$found"
    mkdir -p "$found/scratch"
    if "$build/tests/fuzz/$target" -max_total_time="$seconds" -seed="$seed" -timeout=10 \
        -rss_limit_mb=2048 -artifact_prefix="$found/" "$found/scratch" "$corpus" >"$found/log" 2>&1 &&
        grep -q '^Done [0-9]* runs' "$found/log"; then # a replay says nothing like it
        echo "$target: $(grep -o '^Done [0-9]* runs' "$found/log")"
        rm -rf "$found"
        return 0
    fi
    echo "$target found something, see $found:"
    tail -n 25 "$found/log"
    return 1
}
export -f try
export here build seconds seed
printf '%s\n' "${targets[@]##*/}" | xargs -n 1 -P "$(nproc)" bash -c 'try "$1"' bash
