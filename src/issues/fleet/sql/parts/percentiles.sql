-- From b: a device has the same weight each day, however much it tells, and both releases the same
-- mixture of days and strata, that of both together.
     v1 AS (SELECT count(*) AS days
            FROM (SELECT d FROM b GROUP BY d HAVING count(DISTINCT r) = 2) AS both_have),
     c AS (SELECT item, part, a, r, k, u, bucket_list, n_list, total, CASE WHEN days > 0 THEN d ELSE '' END AS t
           FROM b CROSS JOIN v1),
     u0 AS (SELECT item, part, a, r, t, k, u, sum(total) AS whole FROM c GROUP BY item, part, a, r, t, k, u),
     s AS (SELECT item, part, a, t, k, sum(CASE WHEN r = {old} THEN 1.0 ELSE 0 END) AS n1,
                  sum(CASE WHEN r = {new} THEN 1.0 ELSE 0 END) AS n2
           FROM u0 GROUP BY item, part, a, t, k),
     w AS (SELECT u0.item AS item, u0.part AS part, u0.a AS a, u0.r AS r, u0.t AS t, u0.k AS k, u0.u AS u,
                  (n1 + n2) / CASE WHEN r = {old} THEN n1 ELSE n2 END / whole AS share
           FROM u0 JOIN s ON s.item = u0.item AND s.part = u0.part AND s.a = u0.a AND s.t = u0.t AND s.k = u0.k
           WHERE n1 > 0 AND n2 > 0),
     j AS (SELECT c.item AS item, c.part AS part, c.r AS r, share, bucket_list, n_list
           FROM c JOIN w ON w.item = c.item AND w.part = c.part AND w.a = c.a AND w.r = c.r AND w.t = c.t
                            AND w.k = c.k AND w.u = c.u),
     e AS (SELECT item, part, r, bucket, sum(n * share) AS p, sum(n) AS told
           FROM (SELECT item, part, r, share, {bucket}, {n} FROM j {rows}) AS q
           GROUP BY item, part, r, bucket),
     l AS (SELECT item, part, r, bucket, p, told,
                  sum(p) OVER (PARTITION BY item, part, r ORDER BY bucket) * 1.000000001 AS upto,
                  sum(p) OVER (PARTITION BY item, part, r) AS whole
           FROM e),
     g AS (SELECT item, part, r, sum(told) AS told_n, 100.0 * sum(CASE WHEN bucket > 142 THEN p ELSE 0 END) / sum(p) AS late,
                  exp((min(CASE WHEN upto >= 0.5 * whole THEN bucket END) + 0.5) * 0.0198026272961797) AS p50,
                  exp((min(CASE WHEN upto >= 0.95 * whole THEN bucket END) + 0.5) * 0.0198026272961797) AS p95,
                  exp((min(CASE WHEN upto >= 0.99 * whole THEN bucket END) + 0.5) * 0.0198026272961797) AS p99
           FROM l GROUP BY item, part, r),
     z AS (SELECT x.item AS item, x.part AS part, CAST(x.told_n AS BIGINT) AS old_n, CAST(y.told_n AS BIGINT) AS new_n,
                  round(x.p50, 1) AS p50_ms_old, round(y.p50, 1) AS p50_ms_new, round(x.p95, 1) AS p95_ms_old,
                  round(y.p95, 1) AS p95_ms_new, round(x.p99, 1) AS p99_ms_old, round(y.p99, 1) AS p99_ms_new,
                  x.late AS late_old, y.late AS late_new
           FROM g AS x JOIN g AS y ON y.item = x.item AND y.part = x.part WHERE x.r = {old} AND y.r = {new})
