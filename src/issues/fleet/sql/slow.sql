-- kinds of requests of which more are slow in the new release
-- A row is a finding.
-- Slow: longer than 99 of 100 in the old one, all devices together; x: how many of 100 are, of a device's on a day.
WITH b AS (SELECT name AS item, coalesce(app, '') AS a, app_release AS r, concat(day, '') AS d, {by} AS k,
                  coalesce(device, session, '') AS u, bucket, n
           FROM buckets
           WHERE kind = 'request' AND name IS NOT NULL AND app_release IN ({old}, {new}) AND day >= {since} AND {where}),
     e AS (SELECT item, r, bucket, sum(n) AS n FROM b GROUP BY item, r, bucket),
     q AS (SELECT item, r, bucket, sum(n) OVER (PARTITION BY item, r ORDER BY bucket) AS upto,
                  sum(n) OVER (PARTITION BY item, r) AS whole
           FROM e),
     y AS (SELECT item, r, min(CASE WHEN upto >= 0.99 * whole THEN bucket END) AS p99 FROM q GROUP BY item, r),
     v0 AS (SELECT b.item AS item, 0 AS part, a, b.r AS r, d, k, u,
                   1e2 * sum(CASE WHEN bucket > p99 THEN n ELSE 0 END) / sum(n) AS x
            FROM b JOIN y ON y.item = b.item AND y.r = {old} GROUP BY b.item, a, b.r, d, k, u),
-- include: differences
SELECT z.item AS request, among, old_devices, new_devices,
       round(exp((y1.p99 + 0.5) * 0.0198026272961797) / 1000, 3) AS p99_ms_old,
       round(exp((y2.p99 + 0.5) * 0.0198026272961797) / 1000, 3) AS p99_ms_new,
       round(old_mean, 2) AS old_percent, round(new_mean, 2) AS new_percent, round(more - width, 2) AS at_least,
       round(more + width, 2) AS at_most, round(normal, 1) AS z, round(chance, 6) AS chance
FROM z JOIN y AS y1 ON y1.item = z.item AND y1.r = {old} JOIN y AS y2 ON y2.item = z.item AND y2.r = {new}
WHERE place = 1 AND chance < 0.001 AND more >= 0.2
ORDER BY round(normal, 6) DESC, request, among
LIMIT {top}
