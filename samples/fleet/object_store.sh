#!/usr/bin/env bash
# A fleet whose files are in an object store, by the AWS command and moto's server as the store: rows go up, come down
# where they are loaded, the lake goes up; a question is asked of a copy of it, and ClickHouse (chdb) reads the Parquet
# where it is.
# usage: object_store.sh METHODBEAT DUCKDB FOLDER [DEVICES]     `pip install 'moto[server]' awscli chdb` on PATH
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
methodbeat=$(realpath "$1") duckdb=$(realpath "$2")
mkdir -p "$3" && cd "$3"
export AWS_ACCESS_KEY_ID=x AWS_SECRET_ACCESS_KEY=x AWS_DEFAULT_REGION=us-east-1 AWS_ENDPOINT_URL=http://127.0.0.1:5123
moto_server -H 127.0.0.1 -p 5123 >moto.log 2>&1 &
trap 'kill %1' EXIT
until aws s3 mb s3://fleet 2>/dev/null; do sleep 1; done

ask() {
    "$methodbeat" fleet ask rising --engine-command "$duckdb" "$1"
}

# Where uploads arrive: rows by day of receipt.
python3 "$here/devices.py" uploads "${4:-2000}"
for upload in uploads/*/*.gz; do
    rows=${upload/uploads/rows}
    mkdir -p "$(dirname "$rows")"
    "$methodbeat" fleet rows -o "${rows%.gz}.zst" "$upload" >>rows.log
done
aws s3 sync --only-show-errors rows s3://fleet/rows

# Where they are loaded, one at a time. What lacks its line in uploads/ was not loaded, so these go up last.
aws s3 sync --only-show-errors --delete s3://fleet/lake lake
aws s3 sync --only-show-errors s3://fleet/rows arrived
"$methodbeat" fleet load arrived --into lake --engine-command "$duckdb"
aws s3 sync --only-show-errors --delete --exclude 'uploads/*' lake s3://fleet/lake
aws s3 sync --only-show-errors --delete lake s3://fleet/lake

# Where somebody asks.
aws s3 sync --only-show-errors --delete s3://fleet/lake copy
ask copy | tee answer
ask lake | cmp - answer
python3 - <<END
import chdb
print(chdb.query("""SELECT app_release, count() AS issues, uniq(device) AS devices
    FROM s3('$AWS_ENDPOINT_URL/fleet/lake/issues/*/*.parquet', 'x', 'x', 'Parquet')
    GROUP BY app_release ORDER BY app_release""", 'PrettyCompact'))
END
