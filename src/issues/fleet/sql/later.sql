-- scenes with more late frames in the new release
-- A row is a finding.
-- The share of late ones, longer than 16.7 ms, in a device's frames of a day.
WITH b AS (SELECT coalesce(name, '') AS item, coalesce(app, '') AS a, app_release AS r, concat(day, '') AS d,
                  {by} AS k, coalesce(device, session, '') AS u, bucket, n
           FROM buckets WHERE kind = 'frame' AND app_release IN ({old}, {new}) AND day >= {since} AND {where}),
     v0 AS (SELECT item, 0 AS part, a, r, d, k, u, 1e2 * sum(CASE WHEN bucket > 142 THEN n ELSE 0 END) / sum(n) AS x
            FROM b GROUP BY item, a, r, d, k, u),
-- include: differences
SELECT item AS scene, among, old_devices, new_devices, round(old_mean, 2) AS old_percent,
       round(new_mean, 2) AS new_percent, round(more, 2) AS more, round(more - width, 2) AS at_least,
       round(more + width, 2) AS at_most, round(normal, 1) AS z, round(chance, 6) AS chance
FROM z WHERE place = 1 AND chance < 0.001 AND more >= 0.2
ORDER BY round(normal, 6) DESC, scene, among
LIMIT {top}
