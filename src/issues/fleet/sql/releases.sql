-- releases of each app, by the day on which they were first seen
-- A trace of no device, as of a server, counts as one.
WITH s AS (SELECT coalesce(app, '') AS a, app_release AS r, concat(day, '') AS d, coalesce(device, session, '') AS u, ts, 1 AS one
           FROM sessions WHERE app_release IS NOT NULL AND day >= {since} AND {where}
           UNION ALL
           SELECT coalesce(app, '') AS a, app_release AS r, concat(day, '') AS d, coalesce(device, session, profile) AS u, ts, 0 AS one
           FROM profiles WHERE app_release IS NOT NULL AND day >= {since} AND {where}),
     g AS (SELECT a, r, count(DISTINCT u) AS users, CAST(sum(one) AS BIGINT) AS n, min(d) AS first_d, max(d) AS last_d, avg(ts) AS middle
           FROM s GROUP BY a, r)
SELECT a AS app, r AS app_release, users AS devices, round(100.0 * users / sum(users) OVER (PARTITION BY a) + 1e-9, 2) AS percent,
       n AS sessions, first_d AS first_day, last_d AS last_day
FROM g
ORDER BY app, first_day, round(middle / 1000), app_release
LIMIT {top}
