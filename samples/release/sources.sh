#!/usr/bin/env bash
# Fetch the sources of the libraries, as subprojects/*.wrap pin them, from a Debian mirror, into the cache; prints the
# folder that has them. usage: sources.sh
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/../../tests/packages.sh"
sources=$cache/sources

# field WRAP NAME: what it says of it.
field() {
    sed -n "s/^$2 *= *//p" "$1"
}

is_there() {
    [ -f "$2/$(field "$1" source_filename)" ] &&
        echo "$(field "$1" source_hash)  $2/$(field "$1" source_filename)" | sha256sum --check --status
}

# Sources are listed for nobody else: apt gets a list of its own, with the mirror that the machine has.
list_sources() {
    local mirror
    mirror=$(sed -n 's/^URIs: *//p; s/^deb \(\[.*\] \)\{0,1\}\([^ ]*\) .*/\2/p' /etc/apt/sources.list \
        /etc/apt/sources.list.d/debian.sources 2>/dev/null | grep -v security | head -1)
    mkdir -p "$1/lists/partial" "$1/archives/partial"
    echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror bookworm main" >"$1/sources.list"
    cat >"$1/apt.conf" <<END
Dir::Etc::sourcelist "$1/sources.list";
Dir::Etc::sourceparts "-";
Dir::State::lists "$1/lists";
Dir::Cache "$1";
APT::Sandbox::User "";
END
    APT_CONFIG=$1/apt.conf apt-get -qq update
}

# What Debian lacks of a source package besides the archive does not matter.
download() {
    local lists=$1 wrap file
    for wrap in "${@:2}"; do
        file=$(field "$wrap" source_filename)
        (cd "$lists" && APT_CONFIG=$lists/apt.conf apt-get -qq source --only-source --download-only "${file%%_*}") || true
        is_there "$wrap" "$lists" || { echo "out of reach, or not as pinned: $file" >&2; return 77; }
        mv "$lists/$file" "$sources/"
    done
}

# Under the lock.
fetch() {
    local wrap missing=() lists=$sources/lists status=0
    mkdir -p "$sources"
    for wrap in "$here"/subprojects/*.wrap; do
        is_there "$wrap" "$sources" || missing+=("$wrap")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    (list_sources "$lists" && download "$lists" "${missing[@]}") </dev/null >"$sources/log" 2>&1 9>&- || status=$?
    [ $status -eq 0 ] || tail -3 "$sources/log" >&2
    rm -rf "$lists"
    return $status
}

with_lock fetch
echo "$sources"
