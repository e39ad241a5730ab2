-- methods that take a larger share of their program's time in the new release
-- A row is a finding.
-- One figure a device and method; Mann-Whitney within each class of devices, then added up.
WITH w AS (SELECT profile, coalesce(device, profile) AS who, coalesce(device_class, '') AS class, app_release
           FROM profiles WHERE app_release IN ({old}, {new}) AND {where}),
     v AS (SELECT n.profile AS run, w.who, w.class, w.app_release, n.method, sum(n.own_ns) AS own
           FROM nodes n JOIN w ON w.profile = n.profile
           GROUP BY n.profile, w.who, w.class, w.app_release, n.method),
     u AS (SELECT who, class, app_release, method, own * 1.0 / nullif(sum(own) OVER (PARTITION BY run), 0)
                  AS part
           FROM v),
     s AS (SELECT who, class, app_release, method, round(avg(part), 12) AS x
           FROM u GROUP BY who, class, app_release, method),
     r AS (SELECT class, method, app_release, x,
                  rank() OVER (PARTITION BY class, method ORDER BY x)
                  + (count(*) OVER (PARTITION BY class, method, x) - 1) / 2.0 AS place
           FROM s WHERE x IS NOT NULL),
     g AS (SELECT class, method,
                  sum(CASE WHEN app_release = {old} THEN 1 ELSE 0 END) AS n1,
                  sum(CASE WHEN app_release = {new} THEN 1 ELSE 0 END) AS n2,
                  sum(CASE WHEN app_release = {new} THEN place ELSE 0 END) AS r2,
                  avg(CASE WHEN app_release = {old} THEN x END) AS m1,
                  avg(CASE WHEN app_release = {new} THEN x END) AS m2
           FROM r GROUP BY class, method),
     h AS (SELECT method, CAST(sum(n1) AS BIGINT) AS old_devices, CAST(sum(n2) AS BIGINT) AS new_devices,
                  sum(r2 - n2 * (n1 + n2 + 1) / 2.0) AS above,
                  sum(1.0 * n1 * n2 * (n1 + n2 + 1) / 12.0) AS variance,
                  sum(n2 * m1) / sum(n2) AS a1, sum(n2 * m2) / sum(n2) AS a2
           FROM g WHERE n1 > 0 AND n2 > 0 GROUP BY method)
SELECT m.name, old_devices, new_devices,
       round(a1 * 100, 4) AS old_percent, round(a2 * 100, 4) AS new_percent,
       round(a2 / a1, 2) AS times, round(above / sqrt(variance), 1) AS z
FROM h JOIN methods m ON m.method = h.method
WHERE old_devices >= 30 AND new_devices >= 30 AND a1 > 0 AND a2 >= 1.1 * a1 AND above > 5 * sqrt(variance)
ORDER BY z DESC, m.name
LIMIT {top}
