#!/usr/bin/env bash
# Time methodbeat against a rival on ASM; see README.md beside this file.
# usage: run.sh [-n PAIRS] [--smoke] [--no-rival] [--no-callgrind] [--work DIR] [INPUT...]
# INPUT: guava bcprov groovy kotlin kotlin-deflated guava-folder kotlin-folder everything (all)
# --smoke: one round on guava, only to see that everything here works.
# --work DIR: build and run there and keep it; else a temporary folder that goes away.
set -euo pipefail
source_root=$(cd "$(dirname "$0")/../.." && pwd)
jars=/usr/share/java

pairs=5
work=
rival=yes
options=()
inputs=()
usage() {
    sed -n '3,6s/^# //p' "$0" >&2
    exit 2
}
while [ $# -gt 0 ]; do
    case $1 in
    -n) pairs=${2:?}; shift ;;
    --smoke) pairs=1; inputs=(guava) options=(--no-callgrind) ;;
    --no-rival) rival= ;;
    --no-callgrind) options+=("$1") ;;
    --work) work=${2:?}; shift ;;
    -*) usage ;;
    *) inputs+=("$1") ;;
    esac
    shift
done
if [ ${#inputs[@]} -eq 0 ]; then
    inputs=(guava bcprov groovy kotlin kotlin-deflated guava-folder kotlin-folder everything)
fi
wants() { [[ " ${inputs[*]} " == *" $1 "* ]]; }

# What each part needs. The packages of `everything` are here for their jars only.
packages=(gcc meson ninja-build pkg-config python3 libdeflate-dev libzip-dev uthash-dev libcommons-cli-java
    libguava-java)
[ -z "$rival" ] || packages+=(libasm-java)
[ -z "$rival" ] || command -v javac >/dev/null || packages+=(default-jdk-headless)
[[ " ${options[*]} " == *" --no-callgrind "* ]] || packages+=(valgrind)
! wants bcprov || packages+=(libbcprov-java)
! wants groovy || packages+=(groovy)
[[ " ${inputs[*]} " != *" kotlin"* ]] || packages+=(kotlin)
[[ " ${inputs[*]} " != *"-folder "* ]] || packages+=(unzip)
! wants everything || packages+=(libguava-java libbcprov-java groovy kotlin jython libclojure-java
    libkxml2-java maven gradle proguard-cli libfop-java libbatik-java findbugs bnd libjgit-java
    libjetty9-java libnetty-java libicu4j-java libxalan2-java libasm-java)

install_missing() {
    local missing=()
    for package in "$@"; do
        dpkg-query -W -f='${Status}' "$package" 2>/dev/null | grep -q 'ok installed' ||
            missing+=("$package")
    done
    if [ ${#missing[@]} -gt 0 ]; then
        apt-get update -qq
        DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}"
    fi
}
install_missing "${packages[@]}" >&2

if [ -z "$work" ]; then
    work=$(mktemp -d "${TMPDIR:-/tmp}/methodbeat-bench.XXXXXX")
    trap 'rm -rf "$work"' EXIT
fi
mkdir -p "$work"
work=$(cd "$work" && pwd)

# --- programs ---
if [ ! -d "$work/build" ]; then
    meson setup "$work/build" "$source_root" --buildtype=release -Dbenchmarks=true \
        -Djni=disabled >&2
fi
ninja -C "$work/build" >&2
if [ -n "$rival" ]; then
    mkdir -p "$work/rival"
    javac -d "$work/rival" -cp "$jars/asm.jar:$jars/asm-tree.jar:$jars/asm-commons.jar" \
        "$source_root/tests/bench/Rival.java"
    options+=(--rival "$work/rival")
fi

# --- inputs: for each a list of paths ---
unpacked() { # JAR FOLDER
    rm -rf "$2"
    mkdir -p "$2"
    unzip -q -n "$1" -d "$2"
}
paths_of() {
    case $1 in
    guava) ls $jars/guava.jar ;;
    bcprov) ls $jars/bcprov.jar ;;
    groovy) ls $jars/groovy-all.jar ;;
    kotlin) ls $jars/kotlin-compiler.jar ;;
    kotlin-deflated)
        python3 "$source_root/tests/bench/deflate_jar.py" $jars/kotlin-compiler.jar \
            "$work/inputs/kotlin-deflated.jar"
        echo "$work/inputs/kotlin-deflated.jar"
        ;;
    guava-folder | kotlin-folder)
        local jar=guava.jar
        [ "$1" = guava-folder ] || jar=kotlin-compiler.jar
        unpacked $jars/$jar "$work/inputs/$1"
        echo "$work/inputs/$1"
        ;;
    everything) # the 300 largest of different content and name
        find $jars -name '*.jar' -type f -exec sha256sum {} + | sort | awk '!seen[$1]++ {print $2}' |
            xargs stat -c '%s %n' | sort -k1,1nr -k2 |
            awk '{name = $2; sub(".*/", "", name)} !seen[name]++ && ++count <= 300 {print $2}'
        ;;
    *) usage ;;
    esac
}
mkdir -p "$work/inputs"
for input in "${inputs[@]}"; do
    paths_of "$input" >"$work/inputs/$input.list"
done

PYTHONDONTWRITEBYTECODE=1 python3 "$source_root/tests/bench/measure.py" --build "$work/build" \
    --work "$work" --pairs "$pairs" --small-jar $jars/commons-cli.jar "${options[@]}" "${inputs[@]}"
