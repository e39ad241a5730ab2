-- The time of chains of callers in a run: a device has the same weight each day, and both releases
-- the same mixture of days and strata.
WITH w0 AS (SELECT profile, coalesce(app, '') AS a, app_release AS r, concat(day, '') AS d, {by} AS k,
                   coalesce(device, profile) AS u
            FROM profiles WHERE app_release IN ({old}, {new}) AND day >= {since} AND {where}),
     v1 AS (SELECT count(*) AS days
            FROM (SELECT d FROM w0 GROUP BY d HAVING count(DISTINCT r) = 2) AS both_have),
     w1 AS (SELECT profile, a, r, CASE WHEN days > 0 THEN d ELSE '' END AS t, k, u FROM w0 CROSS JOIN v1),
     u0 AS (SELECT a, r, t, k, u, count(*) AS runs FROM w1 GROUP BY a, r, t, k, u),
     s AS (SELECT a, t, k, sum(CASE WHEN r = {old} THEN 1.0 ELSE 0 END) AS n1,
                  sum(CASE WHEN r = {new} THEN 1.0 ELSE 0 END) AS n2
           FROM u0 GROUP BY a, t, k),
     e AS (SELECT sum(n1 + n2) AS everyone FROM s WHERE n1 > 0 AND n2 > 0),
     w AS (SELECT w1.profile AS profile, w1.r AS r, (n1 + n2) / CASE WHEN w1.r = {old} THEN n1 ELSE n2 END / runs AS share
           FROM w1 JOIN u0 ON u0.a = w1.a AND u0.r = w1.r AND u0.t = w1.t AND u0.k = w1.k AND u0.u = w1.u
                JOIN s ON s.a = w1.a AND s.t = w1.t AND s.k = w1.k
           WHERE n1 > 0 AND n2 > 0),
     f AS (SELECT n.path AS path, n.method AS method,
                  sum(CASE WHEN r = {old} THEN own_ns * share ELSE 0 END) / 1000000.0 AS own1,
                  sum(CASE WHEN r = {new} THEN own_ns * share ELSE 0 END) / 1000000.0 AS own2,
                  sum(CASE WHEN r = {old} THEN total_ns * share ELSE 0 END) / 1000000.0 AS all1,
                  sum(CASE WHEN r = {new} THEN total_ns * share ELSE 0 END) / 1000000.0 AS all2
           FROM nodes n JOIN w ON w.profile = n.profile WHERE n.day >= {since} GROUP BY n.path, n.method),
     z AS (SELECT f.path AS path, p.parent AS parent, p.depth AS depth, m.name AS name, own1 / everyone AS own_old,
                  own2 / everyone AS own_new, all1 / everyone AS all_old, all2 / everyone AS all_new
           FROM f CROSS JOIN e JOIN methods m ON m.method = f.method JOIN paths p ON p.path = f.path)
