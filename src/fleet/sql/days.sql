-- sessions, and issues of a thousand of them, by day and release of two weeks
WITH s AS (SELECT day, app_release, sum(coalesce(weight, 1)) AS n
           FROM sessions WHERE day >= {weeks} AND {where} GROUP BY day, app_release),
     i AS (SELECT day, app_release, sum(coalesce(weight, 1)) AS m
           FROM issues WHERE day >= {weeks} AND cause IS NOT NULL AND {where} GROUP BY day, app_release)
SELECT s.day AS day, s.app_release AS app_release, round(n, 1) AS sessions,
       round(1000 * coalesce(m, 0) / n + 1e-9, 3) AS per_1000
FROM s LEFT JOIN i ON i.day = s.day AND i.app_release = s.app_release
ORDER BY day, app_release
LIMIT {top}
