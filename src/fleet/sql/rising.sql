-- causes that come more often in the new release, by session
-- A row is a finding.
-- Two Poisson counts after the square root (Anscombe), expected class by class of devices, so that
-- another mixture of devices is no rise. Issues of one device come together: counts are divided by
-- their sum of squares over it.
WITH e AS (SELECT device_class, sum(CASE WHEN app_release = {old} THEN coalesce(weight, 1) ELSE 0 END) AS t1,
                  sum(CASE WHEN app_release = {new} THEN coalesce(weight, 1) ELSE 0 END) AS t2
           FROM sessions WHERE app_release IN ({old}, {new}) AND {where} GROUP BY device_class),
     x AS (SELECT coalesce(device_class, '') AS class, t2 / t1 AS r, t1 AS u1, t2 AS u2
           FROM e WHERE t1 > 0 AND t2 > 0),
     d AS (SELECT detail, cause, coalesce(device_class, '') AS class, device, app_release AS release,
                  max(cause_name) AS cause_text, sum(coalesce(weight, 1)) AS n
           FROM issues WHERE app_release IN ({old}, {new}) AND cause IS NOT NULL AND {where}
           GROUP BY detail, cause, coalesce(device_class, ''), device, app_release),
     c AS (SELECT detail, cause, max(cause_text) AS name,
                  sum(CASE WHEN release = {old} THEN n ELSE 0 END) AS n1,
                  sum(CASE WHEN release = {new} THEN n ELSE 0 END) AS n2,
                  sum(CASE WHEN release = {old} THEN n * r ELSE 0 END) AS e2,
                  sum(CASE WHEN release = {old} THEN n * r * r ELSE 0 END) AS v2,
                  sum(n * n) / sum(n) AS phi,
                  count(DISTINCT CASE WHEN release = {new} THEN device END) AS devices
           FROM d JOIN x ON x.class = d.class GROUP BY detail, cause),
     a AS (SELECT sum(u1) AS s1, sum(u2) AS s2 FROM x),
     f AS (SELECT detail, cause, name, devices, n1, n2, phi, s1, s2,
                  CASE WHEN e2 > 0 THEN e2 ELSE 0 END AS expected,
                  CASE WHEN e2 > 0 THEN v2 / e2 ELSE s2 / s1 END AS q
           FROM c CROSS JOIN a),
     z AS (SELECT detail, cause, name, devices, n1, n2, s1, s2, expected,
                  2 * (sqrt(n2 / phi + 0.375) - sqrt(expected / phi + 0.375 * q)) / sqrt(1 + q) AS score
           FROM f)
SELECT detail, cause, name, devices, round(1000 * n1 / s1 + 1e-9, 3) AS per_1000_old,
       round(1000 * n2 / s2 + 1e-9, 3) AS per_1000_new, round(n2 / nullif(expected, 0) + 1e-9, 2) AS times,
       round(score, 1) AS z
FROM z WHERE score > 4 AND n2 >= 1.2 * expected AND devices >= 5
ORDER BY z DESC, detail, cause
LIMIT {top}
