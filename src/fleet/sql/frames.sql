-- how long frames take, by scene and release
-- late: longer than 16.7 ms, which is bucket 142.
WITH b AS (SELECT name, app_release, bucket, sum(n) AS c
           FROM buckets WHERE kind = 'frame' AND {where} GROUP BY name, app_release, bucket),
     k AS (SELECT name, app_release, bucket, c,
                  sum(c) OVER (PARTITION BY name, app_release ORDER BY bucket) AS upto,
                  sum(c) OVER (PARTITION BY name, app_release) AS total
           FROM b),
     p AS (SELECT name, app_release, CAST(max(total) AS BIGINT) AS frames,
                  min(CASE WHEN upto >= 0.5 * total THEN bucket END) AS b50,
                  min(CASE WHEN upto >= 0.95 * total THEN bucket END) AS b95,
                  min(CASE WHEN upto >= 0.99 * total THEN bucket END) AS b99,
                  sum(CASE WHEN bucket > 142 THEN c ELSE 0 END) AS late
           FROM k GROUP BY name, app_release)
SELECT name AS scene, app_release, frames, round(exp((b50 + 0.5) * 0.0198026272961797), 1) AS p50_ms,
       round(exp((b95 + 0.5) * 0.0198026272961797), 1) AS p95_ms,
       round(exp((b99 + 0.5) * 0.0198026272961797), 1) AS p99_ms,
       round(100.0 * late / frames + 1e-9, 2) AS late_percent
FROM p
ORDER BY frames DESC, scene, app_release
LIMIT {top}
