-- begin
SET preserve_insertion_order = false;
SET memory_limit = '600MB';
SET temp_directory = '{staging}/spill';
-- read
CREATE TABLE new_<table> AS SELECT <read> FROM read_json('{staging}/<table>.ndjson', format = 'newline_delimited',
    maximum_object_size = 33554432, columns = {{}day: 'VARCHAR', upload: 'VARCHAR', <quoted>})<grouped>;
-- doubles
DELETE FROM new_<table> WHERE rowid IN (SELECT id FROM (
    SELECT rowid AS id, row_number() OVER (PARTITION BY <keys> ORDER BY <worst>day, upload) AS place
    FROM new_<table> WHERE <known>) WHERE place > 1);
-- known
DELETE FROM new_<table> USING (SELECT <keys> FROM <table> WHERE <late>) AS lake WHERE <match>;
-- day
COPY (SELECT * EXCLUDE (day<upload>) FROM new_<table> WHERE day = {day}<order>)
TO '{staging}/<table>-{date}.parquet' (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1);
-- end
CREATE TABLE kept_<table> AS SELECT count(*) AS n FROM new_<table>;
DROP TABLE new_<table>;
