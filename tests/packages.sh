# Sourced by tests/run.sh, tests/corpus/fetch.sh and samples/quickstart.sh: the Debian packages that
# each of them needs, and their installation. The only list of packages.

build_packages=(gcc libc6-dev meson ninja-build pkg-config
    libzip-dev libdeflate-dev uthash-dev libjansson-dev zlib1g-dev)
run_packages=(openjdk-17-jdk-headless)
test_packages=("${run_packages[@]}" libcriterion-dev zlib1g-dev groff-base python3 zip unzip)
slow_packages=(clang-14 clang-format-14 clang-tidy-14 libclang-rt-14-dev valgrind
    gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
    dexdump gradle libasm-java proguard-cli libguava-java libcommons-cli-java)
npm_packages=(npm)

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
    local missing log
    mapfile -t missing < <(missing_packages "$@")
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "installing ${missing[*]}" >&2
    log=$(mktemp)
    if (as_root apt-get update && as_root env DEBIAN_FRONTEND=noninteractive \
        apt-get install -y --no-install-recommends "${missing[@]}") </dev/null >"$log" 2>&1; then
        rm -f "$log"
        return 0
    fi
    tail -5 "$log" >&2
    rm -f "$log"
    echo "cannot install ${missing[*]}" >&2
    return 1
}
