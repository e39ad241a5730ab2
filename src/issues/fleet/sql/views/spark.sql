-- table
CREATE OR REPLACE TEMPORARY VIEW <view> (<typed>, day STRING) USING parquet OPTIONS (path {lake/<table>});
-- no table
CREATE OR REPLACE TEMPORARY VIEW <view> AS SELECT <nothing> WHERE 1 = 0;
-- sums
SELECT <names of sums>, bucket_list, n_list, day FROM sums_files
UNION ALL SELECT <who>, date, s.kind, s.name, s.bucket_list, s.n_list, day
FROM sessions LATERAL VIEW explode(sum_list) AS s
UNION ALL SELECT <owner>, CAST(NULL AS BIGINT) AS date, s.kind, s.name, s.bucket_list, s.n_list, day
FROM profiles LATERAL VIEW explode(sum_list) AS s
-- old buckets
CREATE OR REPLACE TEMPORARY VIEW old_buckets (<typed of sums>, bucket BIGINT, n BIGINT, day STRING) USING parquet
OPTIONS (path {lake/buckets});
CREATE OR REPLACE TEMPORARY VIEW sums AS <sums>UNION ALL SELECT <names of sums>, array(bucket) AS bucket_list, array(n) AS n_list, day
FROM old_buckets;
-- no old buckets
CREATE OR REPLACE TEMPORARY VIEW sums AS <sums>;
-- buckets
CREATE OR REPLACE TEMPORARY VIEW buckets AS SELECT s.*, bucket, n
FROM sums s LATERAL VIEW inline(arrays_zip(bucket_list, n_list)) AS bucket, n;
