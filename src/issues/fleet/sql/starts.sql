-- how long starts take, by model
WITH b AS (SELECT coalesce(model, '') AS item, coalesce(name, '') AS part, coalesce(app, '') AS a, app_release AS r,
                  concat(day, '') AS d, {by} AS k, coalesce(device, session, '') AS u, bucket_list, n_list,
                  {total} AS total
           FROM sums WHERE kind = 'start' AND app_release IN ({old}, {new}) AND day >= {since} AND {total} > 0 AND {where}),
-- include: percentiles
SELECT item AS model, part AS start_kind, old_n, new_n, p50_ms_old, p50_ms_new, p95_ms_old, p95_ms_new,
       p99_ms_old, p99_ms_new
FROM z
ORDER BY old_n + new_n DESC, model, start_kind
LIMIT {top}
