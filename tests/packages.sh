# Sourced by tests/run.sh, tests/corpus/fetch.sh, tests/art/build.sh, samples/quickstart.sh, samples/site.sh: the Debian
# packages that each of them needs, and their installation. The only list of packages.

cache=${METHODBEAT_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/methodbeat}

build_packages=(gcc libc6-dev meson ninja-build pkg-config
    libzip-dev libdeflate-dev uthash-dev zlib1g-dev
    libprotobuf-c-dev protobuf-c-compiler libzstd-dev)
run_packages=(openjdk-17-jdk-headless)
test_packages=("${run_packages[@]}" libcriterion-dev libjansson-dev zlib1g-dev groff-base ntfs-3g python3 python3-venv zip unzip)
release_packages=(python3-venv zip)
site_packages=(cmark-gfm mandoc python3)
slow_packages=("${release_packages[@]}" clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev valgrind
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabi libc6-dev-armel-cross qemu-user
    dexdump gradle libasm-java proguard-cli libguava-java libcommons-cli-java
    dmtracedump golang-1.19-go python3-jsonschema adb dpkg-dev lintian man-db gcc-mingw-w64-x86-64 wine64 nginx-light)
art_packages=(g++ android-libart android-libbacktrace android-libbase-dev android-libboringssl-dev
    android-liblog-dev android-libnativebridge android-libnativehelper-dev android-libnativeloader
    android-libutils-dev android-libziparchive-dev android-platform-system-core-headers liblz4-1
    libexpat1-dev libicu-dev zlib1g-dev)

# with_lock COMMAND...: run it while no other script of ours changes the cache or installs packages.
# Suites run side by side, and people run them by hand.
is_locked=false
with_lock() {
    local status=0
    if $is_locked; then
        "$@"
        return
    fi
    mkdir -p "$cache" || return 1
    exec 9>"$cache/lock" && flock 9 || return 1
    is_locked=true
    "$@" || status=$?
    is_locked=false
    exec 9>&-
    return $status
}

# Become root if we are not; empty for root, fails where that is not to be had.
as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        return 1
    fi
}

# Those of the packages that are not installed.
missing_packages() {
    local package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q ' installed$' || echo "$package"
    done
}

# install_packages NAME...: those that are missing; prints nothing unless it fails. Standard output
# stays the caller's.
install_packages() {
    [ -z "$(missing_packages "$@")" ] || with_lock install_missing "$@"
}

# Under the lock. Daemons that packages start must not keep it, so they get no descriptor of it; apt
# waits for others who use dpkg, such as unattended upgrades.
install_missing() {
    local missing log
    mapfile -t missing < <(missing_packages "$@") # somebody else may have been faster
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "installing ${missing[*]}" >&2
    log=$(mktemp)
    if (as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends -o DPkg::Lock::Timeout=600 "${missing[@]}") \
        </dev/null >"$log" 2>&1 9>&-; then
        rm -f "$log"
        return 0
    fi
    tail -5 "$log" >&2
    rm -f "$log"
    echo "cannot install ${missing[*]}" >&2
    return 1
}
