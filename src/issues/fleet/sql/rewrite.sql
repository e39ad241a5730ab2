-- find
SELECT '<table>' AS t, day, count(DISTINCT filename) AS files, min(filename) AS path, <stays> AS stays,
    count(*) FILTER (WHERE NOT <stays> OR <gone>) AS gone
FROM read_parquet('<table>/day=*/*.parquet', hive_partitioning = true, hive_types_autocast = false,
    union_by_name = true, filename = true)
WHERE parse_filename(filename, true) IN ({loads}) GROUP BY day
-- write
COPY (SELECT * EXCLUDE (filename)
    FROM read_parquet('<table>/day={date}/*.parquet', hive_partitioning = false, union_by_name = true, filename = true)
    WHERE parse_filename(filename, true) IN ({loads}) AND NOT <gone>)
TO '<table>/day={date}/{batch}.parquet' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1);
-- devices
(SELECT unnest(string_split({devices}, ',')))
