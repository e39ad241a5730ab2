-- where a run's own time went in the new release that it did not go in the old one, by chain of callers
WITH p AS (SELECT app_release, count(*) AS runs
           FROM profiles WHERE app_release IN ({old}, {new}) AND {where} GROUP BY app_release),
     a AS (SELECT sum(CASE WHEN app_release = {old} THEN runs ELSE 0 END) AS r1,
                  sum(CASE WHEN app_release = {new} THEN runs ELSE 0 END) AS r2
           FROM p),
     f AS (SELECT path, method, sum(CASE WHEN app_release = {old} THEN own_ns ELSE 0 END) AS o1,
                  sum(CASE WHEN app_release = {new} THEN own_ns ELSE 0 END) AS o2
           FROM flame WHERE app_release IN ({old}, {new}) AND {where} GROUP BY path, method),
     d AS (SELECT path, method, o1 / 1000000.0 / nullif(r1, 0) AS m1, o2 / 1000000.0 / nullif(r2, 0) AS m2
           FROM f CROSS JOIN a)
SELECT d.path, p.depth, m.name, round(m1, 3) AS old_ms, round(m2, 3) AS new_ms, round(m2 - m1, 3) AS more_ms
FROM d JOIN methods m ON m.method = d.method JOIN paths p ON p.path = d.path
WHERE m1 IS NOT NULL AND m2 IS NOT NULL
ORDER BY abs(round(m2 - m1, 3)) DESC, d.path
LIMIT {top}
