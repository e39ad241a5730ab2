#!/usr/bin/env bash
# Run a test with DuckDB's command, which PyPI has, as its last argument; it is kept in the cache. --engines: the test
# is in Python, and gets Spark, ClickHouse and the types of Grafana, too. Where PyPI or npm are out of reach it is skipped, but not in CI.
#
# usage: duckdb.sh [--engines] PROGRAM [ARGUMENT...]
set -euo pipefail
. "$(dirname "$0")/../packages.sh"

duckdb=duckdb-cli==1.5.6
engines=(chdb==4.4.0 pyspark==3.5.5)
types=(@grafana/schema@11.4.0 typescript@5.6.3)

# fetch_packages FOLDER PACKAGE...: an environment with these.
fetch_packages() {
    [ -e "$1/complete" ] || {
        rm -rf "$1" && python3 -m venv "$1" && "$1/bin/pip" install --quiet --disable-pip-version-check "${@:2}" >&2 &&
            touch "$1/complete"
    }
}

# What a dashboard of Grafana is checked by.
fetch_types() {
    [ -e "$1/complete" ] ||
        { mkdir -p "$1" && npm install --silent --no-audit --no-fund --prefix "$1" "${types[@]}" >&2 && touch "$1/complete"; }
}

fetch_all() {
    fetch_packages "$cache/${duckdb/==/-}" "$duckdb" || return 1
    [ "${1:-}" != --engines ] || { fetch_packages "$cache/${engines[0]/==/-}" "${engines[@]}" && fetch_types "$cache/grafana-11.4.0"; }
}

if ! with_lock fetch_all "$1"; then
    [ "${CI:-}" = true ] && exit 1
    echo "skipped: an engine cannot be fetched" >&2
    exit 77
fi
if [ "$1" = --engines ]; then
    shift
    export GRAFANA_TYPES=$cache/grafana-11.4.0
    set -- "$cache/${engines[0]/==/-}/bin/python" "$@"
fi
exec "$@" "$cache/${duckdb/==/-}/bin/duckdb"
