#!/usr/bin/env bash
# A fleet on one machine: builds methodbeat, makes up two weeks of 10,000 devices, loads what they
# sent into a lake of Parquet, asks what got worse in the newer release and shows all of it as a page.
# usage: samples/fleet.sh [FOLDER [DEVICES]]     FOLDER: where it goes, default build-quickstart/fleet
set -euo pipefail
cd "$(dirname "$0")/.."
. tests/packages.sh
build=build-quickstart
fleet=${1:-$build/fleet}
devices=${2:-10000}

say() {
    printf '\n== %s\n' "$*"
}

show() {
    echo "\$ methodbeat $*"
    "$methodbeat" "$@"
}

say 'install and build'
install_packages "${build_packages[@]}" python3 python3-venv
if [ ! -f $build/build.ninja ]; then
    meson setup $build --buildtype release >/dev/null
fi
ninja -C $build | tail -1
methodbeat=$build/src/cli/methodbeat
duckdb=$(tests/fleet/duckdb.sh echo)
PATH=$(dirname "$duckdb"):$PATH

say "what $devices devices send: issues and sums of sessions, packed, a folder for each day of receipt"
rm -rf "$fleet"
python3 samples/fleet/devices.py "$fleet/uploads" "$devices"
du -sh "$fleet/uploads"

say 'load: rows with keys that compare across builds, as Parquet by day'
time show fleet load "$fleet/uploads" --into "$fleet/lake"
du -sh "$fleet/lake"

say 'what came more often in the newer release'
show fleet ask rising "$fleet/lake"
say 'cold starts of one model'
show fleet ask starts --where "model = 'A1'" "$fleet/lake"
say 'all of it as a page'
show fleet ask -o "$fleet/fleet.html" "$fleet/lake"
ls -l "$fleet/fleet.html"
