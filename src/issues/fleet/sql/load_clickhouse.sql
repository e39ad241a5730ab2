-- begin
/* Rows below {uploads}, a folder day=YYYY-MM-DD for each day of receipt, into tables of this database, and the views that
   questions ask. What is there already replaces itself: after uploads that came late or twice, and after a run that was
   killed, run it again. For rows in a store put s3(...) for file(...). */
-- table
CREATE TABLE IF NOT EXISTS lake_<table> (<typed>, upload String, day String, apart String, version UInt64)
ENGINE = ReplacingMergeTree(version) PARTITION BY day ORDER BY (<keys>, apart) SETTINGS allow_nullable_key = 1;
INSERT INTO lake_<table> SELECT <checked>, upload, day, if(<known>, '', hex(cityHash64(upload, line))) AS apart,
    bitShiftLeft(toUInt64(least(greatest(toFloat64(coalesce(<first>, 0)), 0) * 8, 1e14)), 16) + 65535 - toUInt16(toDate(day)) AS version
FROM (SELECT JSONExtract(line, 'Tuple(<typed>)') AS r, line, _path AS upload, extract(_path, 'day=([0-9-]+)') AS day
      FROM file(concat({uploads}, '/day=*/*.ndjson*'), LineAsString, 'line String'))
WHERE startsWith(line, '{{}"t":"<table>",') AND isValidJSON(line) AND day >= {since};
CREATE OR REPLACE VIEW <view> AS SELECT <names><upload>, day FROM lake_<table> FINAL;
