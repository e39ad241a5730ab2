-- who runs what: devices and sessions by release, system and class
WITH s AS (SELECT app_release, os, os_level, device_class, device, coalesce(weight, 1) AS w
           FROM sessions WHERE day >= {since} AND {where}),
     g AS (SELECT app_release, os, os_level, device_class, count(DISTINCT device) AS devices, sum(w) AS n
           FROM s GROUP BY app_release, os, os_level, device_class)
SELECT app_release, os, os_level, device_class, devices, round(n, 1) AS sessions,
       round(100.0 * n / sum(n) OVER () + 1e-9, 2) AS percent
FROM g
ORDER BY sessions DESC, app_release, os, os_level, device_class
LIMIT {top}
