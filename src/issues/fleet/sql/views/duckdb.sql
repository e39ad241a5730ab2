-- table
CREATE TEMP VIEW <view> AS SELECT <nothing> WHERE 1 = 0
UNION ALL BY NAME SELECT * EXCLUDE (filename)
FROM read_parquet([<files>], hive_partitioning = true, hive_types_autocast = false,
                  union_by_name = true, filename = true)
WHERE parse_filename(filename, true) IN ({loads});
-- no table
CREATE TEMP VIEW <view> AS SELECT <nothing> WHERE 1 = 0;
-- sums
SELECT * FROM sums_files
UNION ALL BY NAME SELECT * EXCLUDE (s), s.kind, s.name, s.bucket_list, s.n_list
FROM (SELECT <who>, date, day, unnest(sum_list) AS s FROM sessions
      UNION ALL BY NAME SELECT <owner>, day, unnest(sum_list) AS s FROM profiles)
-- old buckets
CREATE TEMP VIEW sums AS <sums>UNION ALL BY NAME SELECT * EXCLUDE (filename, bucket, n), [bucket] AS bucket_list, [n] AS n_list
FROM read_parquet({lake/buckets/day=*/*.parquet}, hive_partitioning = true, hive_types_autocast = false,
                  union_by_name = true, filename = true)
WHERE parse_filename(filename, true) IN ({loads});
-- no old buckets
CREATE TEMP VIEW sums AS <sums>;
-- buckets
CREATE TEMP VIEW buckets AS SELECT * EXCLUDE (bucket_list, n_list), unnest(bucket_list) AS bucket, unnest(n_list) AS n
FROM sums;
