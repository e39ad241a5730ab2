-- how long starts take, by model and release
-- Buckets of 2 %: a percentile is known to one of them.
WITH b AS (SELECT model, app_release, name, bucket, sum(n) AS c
           FROM buckets WHERE kind = 'start' AND {where} GROUP BY model, app_release, name, bucket),
     k AS (SELECT model, app_release, name, bucket,
                  sum(c) OVER (PARTITION BY model, app_release, name ORDER BY bucket) AS upto,
                  sum(c) OVER (PARTITION BY model, app_release, name) AS total
           FROM b),
     p AS (SELECT model, app_release, name, CAST(max(total) AS BIGINT) AS starts,
                  min(CASE WHEN upto >= 0.5 * total THEN bucket END) AS b50,
                  min(CASE WHEN upto >= 0.95 * total THEN bucket END) AS b95,
                  min(CASE WHEN upto >= 0.99 * total THEN bucket END) AS b99
           FROM k GROUP BY model, app_release, name)
SELECT model, app_release, name AS start_kind, starts,
       round(exp((b50 + 0.5) * 0.0198026272961797), 1) AS p50_ms,
       round(exp((b95 + 0.5) * 0.0198026272961797), 1) AS p95_ms,
       round(exp((b99 + 0.5) * 0.0198026272961797), 1) AS p99_ms
FROM p
ORDER BY starts DESC, model, app_release, start_kind
LIMIT {top}
