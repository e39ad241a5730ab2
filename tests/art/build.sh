#!/usr/bin/env bash
# Make Android's own runtime available outside the tree, built from packages, and print the folder where it is:
#   run                          starts a program: run VM-OPTION... -- CLASS ARGUMENT...
#   boot-core.jar, boot-icu.jar  its boot class path; lib/: the natives of that
#   core.jar                     the same classes for compilers
#   d8.jar, tools.jar            D8 and R8; Dexer, which drives D8
#   verify.jar                   Verify, which asks ART's verifier
# usage: tests/art/build.sh
# Exit code 77, with the reason on standard error, when a package is out of reach; under CI=true that is a failure.
# Cache: ${METHODBEAT_CACHE:-${XDG_CACHE_HOME:-~/.cache}/methodbeat}/art-DIGEST; everything that matters is in the digest.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../packages.sh"

debian=12
source=android-platform-libcore
version=10.0.0+r36
archive=${source}_$version.orig.tar.gz
archive_hash=75ff87e1ab93f4cc812a7f308d6c73d3853a60fd4beda16e5552c7b2e508cccc
android=/usr/lib/x86_64-linux-gnu/android
headers=/usr/include/android
compiler=(-J-Xmx2g -J-XX:TieredStopAtLevel=1 -encoding UTF-8 -nowarn -proc:none)

out_of_reach() {
    echo "out of reach: $*" >&2
    [ "${CI-}" != true ] || exit 1
    exit 77
}

say() {
    echo "$(date +%T) $*" >>build.log
}

# ---- What it is made of ----

digest() {
    {
        cat "$here/build.sh"
        find "$here/runtime" -type f -print0 | LC_ALL=C sort -z | xargs -0 cat
        grep -E '^(android-30|bundletool) ' "$here/../corpus/fetch.sh"
        dpkg-query -W -f '${Package} ${Version}\n' "${art_packages[@]}"
    } | sha256sum | cut -c 1-16
}

# Sources are listed for nobody else: apt gets a list of its own, with the mirror that the machine has.
fetch_source() {
    local mirror lists=$cache/art-sources
    [ ! -f "$cache/$archive" ] || return 0
    mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[.*\] \)\{0,1\}\([^ ]*\) .*/\2/p' /etc/apt/sources.list \
        /etc/apt/sources.list.d/debian.sources 2>/dev/null | grep -v security | head -1)
    mkdir -p "$lists/lists/partial" "$lists/archives/partial"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm main" >"$lists/sources.list"
    cat >"$lists/apt.conf" <<END
Dir::Etc::sourcelist "$lists/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$lists/lists";
Dir::Cache "$lists";
APT::Sandbox::User "";
END
    (cd "$lists" && export APT_CONFIG=$lists/apt.conf && apt-get -qq update &&
        apt-get -qq source --only-source --download-only "$source") </dev/null >"$lists/log" 2>&1 9>&- &&
        echo "$archive_hash  $lists/$archive" | sha256sum --check --status ||
        out_of_reach "Debian source package $source $version"
    mv "$lists/$archive" "$cache/"
    rm -rf "$lists"
}

# ---- Building, in a folder of its own ----

# libcore is Android 10's, and the runtime Android 11's: what differs between the two, and what a Debian lacks.
adapt_libcore() {
    local java=libcore/ojluni/src/main/java/java
    tar -xzf "$cache/$archive" --one-top-level=libcore
    sed -i 's/DecimalFormat_ICU58_Android/DecimalFormat/g' $java/text/DecimalFormat.java # a class of Android 10's ICU alone
    sed -i 's/\bdexFieldIndex\b/artFieldIndex/g' $java/lang/reflect/Field.java           # as mirror::Field has it
    sed -i 's/^    private native static void nativeCreate(.*/&\n    private native int getNativeTid();/' \
        $java/lang/Thread.java
    sed -i 's/= dupFd(\([012]\));/= new FileDescriptor(\1);/' $java/io/FileDescriptor.java # initialised before libjavacore
    python3 "$here/runtime/adapt.py" libcore
}

make_classes() {
    mkdir icu core over data
    unzip -qo "$framework" 'android/icu/*.class' -d icu
    unzip -qo "$framework" android/icu/ICUConfig.properties 'android/icu/impl/data/*' -x '*.class' -d data
    unzip -qo "$framework" 'dalvik/*' java/lang/DexCache.class libcore/util/FP16.class -d over # Android 11's
    python3 "$here/runtime/file_groups.py" libcore core_oj_java_files core_libart_java_files openjdk_lambda_stub_files |
        grep -v Java9LanguageFeatures >files.txt
    javac "${compiler[@]}" -XDignore.symbol.file -source 8 -target 8 -bootclasspath icu -extdirs "" -g -d core @files.txt
    cp -r over/. core/
    (cd icu && zip -qr0 ../icu.jar .)
    (cd core && zip -qr0 ../art/core.jar .)
}

d8() {
    java -Xmx2g -XX:+UseParallelGC -XX:TieredStopAtLevel=1 -cp "$d8" com.android.tools.r8.D8 "$@"
}

make_dex() {
    d8 --min-api 29 --output core-dex.jar art/core.jar
    d8 --min-api 29 --lib art/core.jar --output icu-dex.jar icu.jar
    python3 "$here/runtime/pack.py" core-dex.jar art/boot-core.jar
    python3 "$here/runtime/pack.py" icu-dex.jar art/boot-icu.jar data
}

# compile_native OBJECT SOURCE
compile_native() {
    local object=$1 file=$2 command='g++ -std=gnu++17 -fpermissive'
    [ "${file##*.}" != c ] || command='gcc -std=gnu11'
    $command $native_flags -c "$file" -o "$object"
}

# natives_of LIBRARY FOLDER NAME: objects and sources that Android's build files list under that name.
natives_of() {
    sed -n "/name: \"$3\"/,/^}/p" "$2/Android.bp" | grep -oE '"[A-Za-z0-9_]+\.(c|cpp)"' | tr -d '"' |
        sed "s#.*#$1/&.o $2/&#"
}

make_natives() {
    local luni=libcore/luni/src/main/native ojluni=libcore/ojluni/src/main/native
    local rest=libcore/dalvik/src/main/native/org_apache_harmony_dalvik_NativeTestTarget.cpp
    local link=(-shared "-Wl,-rpath,\$ORIGIN" "-Wl,-rpath,$android" "-L$android" -Lart/lib)
    local common=(-landroidio -l:libnativehelper.so.0 -l:libbase.so.0 -l:liblog.so.0 -l:libcrypto.so.0 -licuuc -lz)
    mkdir javacore openjdk androidio
    native_flags="-O1 -fPIC -w -include string.h -DFALSE=0 -DTRUE=1 -D_GNU_SOURCE -DU_USING_ICU_NAMESPACE=0
        -DU_SHOW_CPLUSPLUS_API=1 -D_FILE_OFFSET_BITS=64 -I$here/runtime/compat -I$luni -I$ojluni
        -Ilibcore/libart/src/main/native -I$headers/nativehelper -I$headers"
    export native_flags
    export -f compile_native
    {
        natives_of javacore $luni luni_native_srcs
        natives_of openjdk $ojluni libopenjdk_native_srcs
        echo "javacore/NativeTestTarget.o $rest"
        echo "androidio/monitor.o $luni/AsynchronousCloseMonitor.cpp"
        echo "openjdk/vm.o $here/runtime/vm.cc"
    } | sort -u | xargs -P "$(nproc)" -L 1 bash -c 'compile_native "$@" || exit 255' compile
    rm -f javacore/AsynchronousCloseMonitor.cpp.o
    g++ "${link[@]}" -o art/lib/libandroidio.so androidio/*.o -Wl,-soname,libandroidio.so -l:liblog.so.0 -Wl,-z,defs
    g++ "${link[@]}" -o art/lib/libjavacore.so javacore/*.o "${common[@]}" -l:libziparchive.so.0 -lexpat -licui18n -Wl,-z,defs
    g++ "${link[@]}" -o art/lib/libopenjdk.so openjdk/*.o "${common[@]}"
    # Android 10 has its natives in libjavacore.
    echo 'int JNI_OnLoad(void) { return 0x00010006; }' |
        gcc -shared -fPIC -x c - -o art/lib/libicu_jni.so
    g++ -O1 -shared -fPIC -w -I$headers/nativehelper -o art/lib/libverify.so "$here/runtime/verify.cc"
    # libart itself says only in part what it needs.
    g++ -O1 -I$headers/nativehelper -o art/run "$here/runtime/launcher.cc" -ldl -rdynamic "-L$android" -Wl,--no-as-needed \
        -l:libsigchain.so.0 -l:libnativebridge.so.0 -l:libnativeloader.so.0 -l:libziparchive.so.0 -l:libbacktrace.so.0 \
        -l:libbase.so.0 -l:liblog.so.0 -lz -l:liblz4.so.1 "-Wl,-rpath,$android" '-Wl,-rpath,$ORIGIN/lib' \
        -Wl,--allow-shlib-undefined
}

make_tools() {
    mkdir verify tools
    javac "${compiler[@]}" --release 8 -Xlint:-options -cp art/core.jar -d verify "$here/runtime/Verify.java"
    (cd verify && zip -qr0 ../verify-classes.jar .)
    d8 --min-api 26 --lib art/core.jar --output art/verify.jar verify-classes.jar
    javac "${compiler[@]}" -cp "$d8" -d tools "$here/runtime/Dexer.java"
    (cd tools && zip -qr0 ../art/tools.jar .)
    cp "$d8" art/d8.jar
}

build() {
    mkdir -p art/lib
    say libcore
    adapt_libcore
    say classes
    make_classes
    say natives and dex
    make_dex &
    local dexing=$!
    make_natives
    wait $dexing
    say tools
    make_tools
    say done
}

# One at a time; who waited finds it there.
build_once() {
    local target=$1 scratch
    exec 8>"$cache/art.lock" && flock 8
    [ ! -d "$target" ] || return 0
    framework=$("$here/../corpus/fetch.sh" android-30) || exit $?
    d8=$("$here/../corpus/fetch.sh" bundletool) || exit $?
    with_lock fetch_source
    scratch=$(mktemp -d "$cache/tmp.XXXXXX")
    cd "$scratch"
    build >output 2>&1 8>&- & # where a command that fails ends it
    if ! wait $!; then
        tail -30 output >&2
        cd / && rm -rf "$scratch"
        echo 'cannot build the Android Runtime' >&2
        exit 1
    fi
    mv build.log art/
    mv -T art "$target"
    cd / && rm -rf "$scratch"
}

. /etc/os-release
[ "${ID-}" = debian ] && [ "${VERSION_ID-}" = $debian ] && [ "$(uname -m)" = x86_64 ] ||
    out_of_reach "Debian $debian on x86-64, whose libart this is"
mkdir -p "$cache"
install_packages "${art_packages[@]}" "${run_packages[@]}" zip unzip python3 || out_of_reach "Debian packages ${art_packages[*]}"
target=$cache/art-$(digest)
[ -d "$target" ] || build_once "$target"
echo "$target"
