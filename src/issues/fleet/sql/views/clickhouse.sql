-- table
CREATE OR REPLACE VIEW <view> AS SELECT *, day FROM file({lake/<table>/day=*/*.parquet}, Parquet, '<typed>');
-- no table
CREATE OR REPLACE VIEW <view> AS SELECT <nothing> WHERE 1 = 0;
-- sums
SELECT <names of sums>, bucket_list, n_list, day FROM sums_files
UNION ALL SELECT <who>, date, s.kind AS kind, s.name AS name, s.bucket_list AS bucket_list, s.n_list AS n_list, day
FROM sessions ARRAY JOIN sum_list AS s
UNION ALL SELECT <owner>, CAST(NULL AS Nullable(Int64)) AS date, s.kind AS kind, s.name AS name,
                 s.bucket_list AS bucket_list, s.n_list AS n_list, day
FROM profiles ARRAY JOIN sum_list AS s
-- old buckets
CREATE OR REPLACE VIEW sums AS <sums>UNION ALL SELECT <names of sums>, [assumeNotNull(bucket)] AS bucket_list, [assumeNotNull(n)] AS n_list, day
FROM file({lake/buckets/day=*/*.parquet}, Parquet, '<typed of sums>, bucket Nullable(Int64), n Nullable(Int64)');
-- no old buckets
CREATE OR REPLACE VIEW sums AS <sums>;
-- buckets
CREATE OR REPLACE VIEW buckets AS SELECT * EXCEPT (bucket_list, n_list), bucket, n
FROM sums ARRAY JOIN bucket_list AS bucket, n_list AS n;
