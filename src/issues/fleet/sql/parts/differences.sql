-- From v0, one figure x a device and day of each item: the mean difference within strata, days that
-- both releases have (all as one, if there is none) and strata; its error by the spread of devices
-- (what a device says on all days together counts once), with Student's t; times the number of items.
     v1 AS (SELECT count(*) AS days
            FROM (SELECT d FROM v0 GROUP BY d HAVING count(DISTINCT r) = 2) AS both_have),
     v AS (SELECT item, part, a, r, t, k, u, avg(x) AS x
           FROM (SELECT item, part, a, r, k, u, x, CASE WHEN days > 0 THEN d ELSE '' END AS t
                 FROM v0 CROSS JOIN v1) AS q
           GROUP BY item, part, a, r, t, k, u),
     s0 AS (SELECT item, part, a, t, k, sum(CASE WHEN r = {old} THEN 1.0 ELSE 0 END) AS n1,
                   sum(CASE WHEN r = {new} THEN 1.0 ELSE 0 END) AS n2,
                   sum(CASE WHEN r = {old} THEN x ELSE 0 END) AS x1, sum(CASE WHEN r = {new} THEN x ELSE 0 END) AS x2
            FROM v GROUP BY item, part, a, t, k),
     s AS (SELECT item, part, a, t, k, n1, n2, x1 / n1 AS m1, x2 / n2 AS m2, n1 * n2 / (n1 + n2) AS w
           FROM s0 WHERE n1 >= 2 AND n2 >= 2),
     o AS (SELECT 0 AS whole UNION ALL SELECT 1 AS whole),
     g AS (SELECT item, part, among, sum(w) AS ww, sum(w * m1) AS w1, sum(w * m2) AS w2
           FROM (SELECT item, part, w, m1, m2, CASE WHEN whole = 1 THEN '' ELSE k END AS among FROM s CROSS JOIN o) AS q
           GROUP BY item, part, among),
     f AS (SELECT item, part, among, u, max(is_new) AS b2, max(1 - is_new) AS b1, sum(pull) AS pulls
           FROM (SELECT v.item AS item, v.part AS part, v.u AS u, CASE WHEN whole = 1 THEN '' ELSE v.k END AS among,
                        CASE WHEN r = {new} THEN 1 ELSE 0 END AS is_new,
                        CASE WHEN r = {new} THEN w / n2 * (x - m2) * sqrt(n2 / (n2 - 1))
                             ELSE w / n1 * (m1 - x) * sqrt(n1 / (n1 - 1)) END AS pull
                 FROM v JOIN s ON s.item = v.item AND s.part = v.part AND s.a = v.a AND s.t = v.t AND s.k = v.k
                      CROSS JOIN o) AS q
           GROUP BY item, part, among, u),
     j AS (SELECT item, part, among, CAST(sum(b1) AS BIGINT) AS old_devices, CAST(sum(b2) AS BIGINT) AS new_devices,
                  sqrt(sum(pulls * pulls)) AS spread
           FROM f GROUP BY item, part, among),
     h AS (SELECT j.item AS item, j.part AS part, j.among AS among, old_devices, new_devices, w1 / ww AS old_mean,
                  w2 / ww AS new_mean, (w2 - w1) / ww AS more, spread / ww AS error,
                  (w2 - w1) / spread AS score, least(old_devices, new_devices) - 1.0 AS freedom
           FROM j JOIN g ON g.item = j.item AND g.part = j.part AND g.among = j.among
           WHERE old_devices >= 10 AND new_devices >= 10 AND spread > 0),
     l AS (SELECT item, part, among, old_devices, new_devices, old_mean, new_mean, more, 1.96 * error AS width,
                  score * (1 - 0.25 / freedom) / sqrt(1 + score * score / 2 / freedom) AS normal,
                  ln(count(*) OVER (PARTITION BY part)) AS tests
           FROM h),
     z AS (SELECT item, part, among, old_devices, new_devices, old_mean, new_mean, more, width, normal,
                  exp(least(tests - normal * normal / 2 - ln(2.50663 * greatest(normal, 1)), 0)) AS chance,
                  row_number() OVER (PARTITION BY item, part ORDER BY round(normal, 6) DESC, among) AS place
           FROM l WHERE more > 0)
