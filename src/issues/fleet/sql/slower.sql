-- starts that take longer in the new release
-- A row is a finding.
-- The mean of the logarithm of a device's starts of a day: buckets are of 2 %.
WITH b AS (SELECT name AS item, coalesce(app, '') AS a, app_release AS r, concat(day, '') AS d, {by} AS k,
                  coalesce(device, session, '') AS u, bucket, n
           FROM buckets
           WHERE kind = 'start' AND name IS NOT NULL AND app_release IN ({old}, {new}) AND day >= {since} AND {where}),
     v0 AS (SELECT item, 0 AS part, a, r, d, k, u, 0.0198026272961797 * (sum(bucket * n) / sum(n) + 0.5) AS x
            FROM b GROUP BY item, a, r, d, k, u),
-- include: differences
SELECT item AS start_kind, among, old_devices, new_devices, round(exp(old_mean), 1) AS old_ms,
       round(exp(new_mean), 1) AS new_ms, round(exp(more), 3) AS times, round(exp(more - width), 3) AS at_least,
       round(exp(more + width), 3) AS at_most, round(normal, 1) AS z, round(chance, 6) AS chance
FROM z WHERE place = 1 AND chance < 0.001 AND more >= 0.03
ORDER BY round(normal, 6) DESC, start_kind, among
LIMIT {top}
