-- Causes by session. A device weighs at most 4 sessions and 3 issues of a cause a day; strata are
-- the days that both releases have (all days as one, if there is none), and strata.
WITH s0 AS (SELECT coalesce(app, '') AS a, app_release AS r, concat(day, '') AS d, {by} AS k,
                   coalesce(device, session, '') AS u, coalesce(weight, 1.0) AS w
            FROM sessions WHERE app_release IN ({old}, {new}) AND day >= {since} AND {where}),
     s1 AS (SELECT a, r, d, k, u, max(w) * CASE WHEN count(*) > 4 THEN 4 ELSE count(*) END AS e
            FROM s0 GROUP BY a, r, d, k, u),
     s2 AS (SELECT a, d, k, sum(CASE WHEN r = {old} THEN e ELSE 0 END) AS e1,
                   sum(CASE WHEN r = {new} THEN e ELSE 0 END) AS e2
            FROM s1 GROUP BY a, d, k),
     s3 AS (SELECT count(*) AS days
            FROM (SELECT d FROM s2 GROUP BY d HAVING sum(e1) > 0 AND sum(e2) > 0) AS both_have),
     x AS (SELECT a, t, k, sum(e1) AS t1, sum(e2) AS t2
           FROM (SELECT a, k, e1, e2, CASE WHEN days > 0 THEN d ELSE '' END AS t FROM s2 CROSS JOIN s3) AS q
           GROUP BY a, t, k HAVING sum(e1) > 0 AND sum(e2) > 0),
     i0 AS (SELECT coalesce(app, '') AS a, app_release AS r, concat(day, '') AS d, {by} AS k,
                   coalesce(device, session, '') AS u, coalesce(weight, 1.0) AS w, detail, cause, cause_name
            FROM issues
            WHERE app_release IN ({old}, {new}) AND cause IS NOT NULL AND day >= {since} AND {where}),
     i1 AS (SELECT detail, cause, a, r, k, u, CASE WHEN days > 0 THEN d ELSE '' END AS t, label, y
            FROM (SELECT detail, cause, a, r, d, k, u, max(cause_name) AS label,
                         max(w) * CASE WHEN count(*) > 3 THEN 3 ELSE count(*) END AS y
                  FROM i0 GROUP BY detail, cause, a, r, d, k, u) AS q CROSS JOIN s3),
     o AS (SELECT 0 AS whole UNION ALL SELECT 1 AS whole),
     c AS (SELECT detail, cause, among, r, u, max(label) AS label, sum(y) AS yy, sum(y * q) AS yq
           FROM (SELECT i1.detail AS detail, i1.cause AS cause, i1.r AS r, i1.u AS u, label, y,
                        CASE WHEN whole = 1 THEN '' ELSE i1.k END AS among, t2 / (t1 + t2) AS q
                 FROM i1 JOIN x ON x.a = i1.a AND x.t = i1.t AND x.k = i1.k CROSS JOIN o) AS j
           GROUP BY detail, cause, among, r, u),
     v AS (SELECT among, r, u, sum(e) AS ee
           FROM (SELECT CASE WHEN whole = 1 THEN '' ELSE s.k END AS among, s.r AS r, s.u AS u, s.e AS e
                 FROM (SELECT a, r, k, u, e, CASE WHEN days > 0 THEN d ELSE '' END AS t FROM s1 CROSS JOIN s3) AS s
                      JOIN x ON x.a = s.a AND x.t = s.t AND x.k = s.k CROSS JOIN o) AS j
           GROUP BY among, r, u),
     e AS (SELECT among, sum(CASE WHEN r = {new} THEN ee ELSE 0 END) AS sessions, sum(ee) AS all_sessions,
                  sum(ee * ee) AS squares
           FROM v GROUP BY among),
     f AS (SELECT detail, cause, among, max(label) AS name,
                  sum(CASE WHEN r = {old} THEN yy ELSE 0 END) AS n1,
                  sum(CASE WHEN r = {new} THEN yy ELSE 0 END) AS n2, sum(yq) AS expected,
                  sum(CASE WHEN r = {new} THEN yy - yq ELSE 0 END) AS over_it,
                  sum(CASE WHEN r = {old} THEN yq ELSE 0 END) AS under_it,
                  sum(yy * yy) AS yy2, sum(yy * ee) AS ye, count(*) AS device_count,
                  count(CASE WHEN r = {new} THEN 1 END) AS new_devices
           FROM (SELECT c.detail AS detail, c.cause AS cause, c.among AS among, c.r AS r, label, yy, yq,
                        coalesce(ee, 0) AS ee
                 FROM c LEFT JOIN v ON v.among = c.among AND v.r = c.r AND v.u = c.u) AS q
           GROUP BY detail, cause, among),
-- The chance of that many issues: Chernoff's bound (of a Poisson binomial), with the first factor of what it
-- leaves out, devices taken as coming together; times the number of causes that could be found.
-- phi: how much more devices differ than by chance, given their sessions.
     h AS (SELECT f.detail AS detail, f.cause AS cause, f.among AS among, name, n1, n2, new_devices, device_count,
                  greatest((yy2 - 2 * (n1 + n2) / all_sessions * ye
                            + (n1 + n2) * (n1 + n2) / all_sessions / all_sessions * squares) / (n1 + n2), 1) AS phi,
                  over_it / nullif(under_it, 0) AS ratio, n2 / (n1 + n2) AS p, expected / (n1 + n2) AS q,
                  1000 * n2 / sessions AS rate, max(n1) OVER (PARTITION BY f.detail, f.cause) AS any1
           FROM f JOIN e ON e.among = f.among
           WHERE n1 + n2 >= 3),
     l AS (SELECT detail, cause, among, name, n1, n2, any1, new_devices, device_count, phi, ratio, p, q, rate,
                  (n1 + n2) / phi * (p * ln(greatest(p, 0.000000001) / q)
                                     + (1 - p) * ln(greatest(1 - p, 0.000000001) / (1 - q)))
                  + ln(greatest(6.2832 * (n1 + n2) / phi * p * (1 - p), 1)) / 2
                  + ln(greatest(1 - least(p * (1 - q), q * (1 - p)) / greatest(p * (1 - q), q * (1 - p)), 0.000001))
                  AS evidence,
                  ln(count(*) OVER ()) AS tests
           FROM h),
     z AS (SELECT detail, cause, among, name, n1, n2, any1, new_devices, device_count, ratio, p, q, rate, evidence,
                  exp(least(tests - evidence, 0)) AS chance,
                  1.96 * sqrt(phi / greatest(n1, 0.5 * phi) + phi / greatest(n2, 0.5 * phi)) AS width,
                  row_number() OVER (PARTITION BY detail, cause, CASE WHEN p > q THEN 1 ELSE 0 END
                                     ORDER BY round(evidence, 6) DESC, among) AS place
           FROM l)
