-- begin
/* Rows below {uploads}, a folder day=YYYY-MM-DD for each day of receipt, into tables in the lake.
   Each run makes the days from {since} on anew of all rows that are there: after uploads that came late or twice, and
   after a run that was killed, run it again. One run at a time. */
SET spark.sql.sources.partitionOverwriteMode = dynamic;
SET spark.sql.sources.partitionColumnTypeInference.enabled = false;
CREATE OR REPLACE TEMPORARY VIEW uploads USING text OPTIONS (path {uploads}, pathGlobFilter '*.ndjson*');
-- table
CREATE TABLE IF NOT EXISTS lake_<table> (<typed><upload typed>, day STRING) USING parquet PARTITIONED BY (day)
LOCATION {lake/<table>};
MSCK REPAIR TABLE lake_<table>;
CREATE OR REPLACE TEMPORARY VIEW read_<table> AS SELECT <checked>, upload, day
FROM (SELECT from_json(value, '<typed>') AS r, input_file_name() AS upload, day FROM uploads
      WHERE value LIKE '{{}"t":"<table>",%' AND get_json_object(value, '$.t') = '<table>' AND day >= {since});
-- rows
INSERT OVERWRITE TABLE lake_<table> PARTITION (day) SELECT <names><upload>, day
FROM (SELECT *, row_number() OVER (PARTITION BY <keys> ORDER BY <worst>day, upload) AS place FROM read_<table>) AS n
WHERE (place = 1 OR NOT (<known>)) AND NOT EXISTS (SELECT 1 FROM lake_<table> AS l
    WHERE l.day < {since} AND l.day >= CAST(date_sub({since}, 3) AS STRING) AND <match>);
-- names
INSERT OVERWRITE TABLE lake_<table> PARTITION (day) SELECT <names>, day
FROM (SELECT <largest>, min(day) AS day FROM read_<table> GROUP BY <keys>) AS n
WHERE NOT EXISTS (SELECT 1 FROM lake_<table> AS l WHERE l.day < {since} AND <match>);
