-- table
CREATE OR REPLACE TEMPORARY VIEW <view> (<typed>, day STRING) USING parquet OPTIONS (path {lake/<table>});
-- no table
CREATE OR REPLACE TEMPORARY VIEW <view> AS SELECT <nothing> WHERE 1 = 0;
-- old buckets
CREATE OR REPLACE TEMPORARY VIEW old_buckets (<typed of sums>, bucket BIGINT, n BIGINT, day STRING) USING parquet
OPTIONS (path {lake/buckets});
CREATE OR REPLACE TEMPORARY VIEW sums AS SELECT <names of sums>, bucket_list, n_list, day FROM sums_files
UNION ALL SELECT <names of sums>, array(bucket) AS bucket_list, array(n) AS n_list, day FROM old_buckets;
-- no old buckets
CREATE OR REPLACE TEMPORARY VIEW sums AS SELECT * FROM sums_files;
-- buckets
CREATE OR REPLACE TEMPORARY VIEW buckets AS SELECT s.*, bucket, n
FROM sums s LATERAL VIEW inline(arrays_zip(bucket_list, n_list)) AS bucket, n;
