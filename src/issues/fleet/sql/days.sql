-- sessions, and issues of a thousand of them, by day and release of two weeks
-- Releases of a day have the same mixture of strata; a device weighs at most 4 sessions, 8 issues a day.
WITH s0 AS (SELECT coalesce(app, '') AS a, concat(day, '') AS d, app_release AS r, {by} AS k,
                   coalesce(device, session, '') AS u, coalesce(weight, 1.0) AS w
            FROM sessions WHERE day >= {weeks} AND app_release IS NOT NULL AND {where}),
     s1 AS (SELECT a, d, r, k, u, sum(w) AS n, max(w) * CASE WHEN count(*) > 4 THEN 4 ELSE count(*) END AS e
            FROM s0 GROUP BY a, d, r, k, u),
     i0 AS (SELECT coalesce(app, '') AS a, concat(day, '') AS d, app_release AS r, {by} AS k,
                   coalesce(device, session, '') AS u, coalesce(weight, 1.0) AS w
            FROM issues WHERE day >= {weeks} AND cause IS NOT NULL AND app_release IS NOT NULL AND {where}),
     i1 AS (SELECT a, d, r, k, u, max(w) * CASE WHEN count(*) > 8 THEN 8 ELSE count(*) END AS y
            FROM i0 GROUP BY a, d, r, k, u),
     c AS (SELECT a, d, r, k, sum(n) AS sessions_n, sum(e) AS es, sum(y) AS ys
           FROM (SELECT a, d, r, k, n, e, 0 AS y FROM s1 UNION ALL SELECT a, d, r, k, 0 AS n, 0 AS e, y FROM i1) AS q
           GROUP BY a, d, r, k),
     m AS (SELECT a, d, k, sum(es) AS mixed FROM c GROUP BY a, d, k)
SELECT c.a AS app, c.d AS day, c.r AS app_release, round(sum(sessions_n), 1) AS sessions,
       round(1000 * sum(mixed * ys / es) / sum(mixed) + 1e-9, 3) AS per_1000
FROM c JOIN m ON m.a = c.a AND m.d = c.d AND m.k = c.k
WHERE es > 0
GROUP BY c.a, c.d, c.r
ORDER BY app, day, app_release
LIMIT {top}
