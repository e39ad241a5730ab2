-- methods that take more time of a run in the new release
-- A row is a finding.
-- By own time, and by its share of the run: neither a longer run nor what others save is a finding.
WITH w AS (SELECT profile, coalesce(app, '') AS a, app_release AS r, concat(day, '') AS d, {by} AS k,
                  coalesce(device, profile) AS u
           FROM profiles WHERE app_release IN ({old}, {new}) AND day >= {since} AND {where}),
     p AS (SELECT n.profile AS profile, n.method AS method, sum(n.own_ns) AS own
           FROM nodes n JOIN w ON w.profile = n.profile WHERE n.day >= {since} GROUP BY n.profile, n.method),
     y AS (SELECT profile, method, own, sum(own) OVER (PARTITION BY profile) AS run FROM p),
     c AS (SELECT 0 AS part UNION ALL SELECT 1 AS part),
     v0 AS (SELECT method AS item, part, a, r, d, k, u,
                   avg(ln(own + 1000.0) - part * ln(run + 1000.0)) AS x
            FROM y JOIN w ON w.profile = y.profile CROSS JOIN c GROUP BY method, part, a, r, d, k, u),
-- include: differences
SELECT m.name AS name, y.among AS among, y.old_devices AS old_devices, y.new_devices AS new_devices,
       round(exp(y.old_mean) / 1000000, 3) AS old_ms, round(exp(y.new_mean) / 1000000, 3) AS new_ms,
       round(exp(y.more), 2) AS times, round(exp(y.more - y.width), 2) AS at_least,
       round(exp(y.more + y.width), 2) AS at_most, round(exp(p.more), 2) AS times_of_share,
       round(least(y.normal, p.normal), 1) AS z, round(greatest(y.chance, p.chance), 6) AS chance
FROM z AS y JOIN z AS p ON p.item = y.item AND p.among = y.among JOIN methods m ON m.method = y.item
WHERE y.part = 0 AND y.place = 1 AND p.part = 1 AND y.chance < 0.001 AND p.chance < 0.001 AND y.more >= 0.08
ORDER BY round(least(y.normal, p.normal), 6) DESC, name, among
LIMIT {top}
