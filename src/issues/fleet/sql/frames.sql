-- how long frames take, by scene
-- late: longer than 16.7 ms, which is bucket 142.
WITH b AS (SELECT coalesce(name, '') AS item, 0 AS part, coalesce(app, '') AS a, app_release AS r,
                  concat(day, '') AS d, {by} AS k, coalesce(device, session, '') AS u, bucket_list,
                  n_list, {total} AS total
           FROM sums WHERE kind = 'frame' AND app_release IN ({old}, {new}) AND day >= {since} AND {total} > 0 AND {where}),
-- include: percentiles
SELECT item AS scene, old_n, new_n, p50_ms_old, p50_ms_new, p95_ms_old, p95_ms_new,
       p99_ms_old, p99_ms_new,
       round(late_old + 1e-9, 2) AS late_percent_old, round(late_new + 1e-9, 2) AS late_percent_new
FROM z
ORDER BY old_n + new_n DESC, scene
LIMIT {top}
