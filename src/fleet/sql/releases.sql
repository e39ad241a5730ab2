-- releases of each app, by the day on which they were first seen
WITH s AS (SELECT coalesce(app, '') AS a, app_release AS r, concat(day, '') AS d, coalesce(device, session, '') AS u, ts
           FROM sessions WHERE app_release IS NOT NULL AND day >= {since} AND {where}),
     g AS (SELECT a, r, count(DISTINCT u) AS users, count(*) AS n, min(d) AS first_d, max(d) AS last_d, avg(ts) AS middle
           FROM s GROUP BY a, r)
SELECT a AS app, r AS app_release, users AS devices, round(100.0 * users / sum(users) OVER (PARTITION BY a) + 1e-9, 2) AS percent,
       n AS sessions, first_d AS first_day, last_d AS last_day
FROM g
ORDER BY app, first_day, round(middle / 1000), app_release
LIMIT {top}
