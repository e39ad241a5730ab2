-- the causes that cost most, this week beside the one before
-- An issue counts 10 minutes at most: clocks jump. What is added before rounding keeps halves alike: engines round them up, or to even.
WITH i AS (SELECT detail, cause, cause_name, device, least(cost_ms, 600000) AS cost_ms, coalesce(weight, 1) AS w,
                  CASE WHEN day >= {week} THEN 1 ELSE 0 END AS is_new
           FROM issues WHERE day >= {weeks} AND cause IS NOT NULL AND {where}),
     g AS (SELECT detail, cause, max(cause_name) AS name,
                  sum(is_new * w) AS w2, sum((1 - is_new) * w) AS w1,
                  count(DISTINCT CASE WHEN is_new = 1 THEN device END) AS devices,
                  sum(CASE WHEN is_new = 1 THEN cost_ms * w ELSE 0 END) AS cost
           FROM i GROUP BY detail, cause)
SELECT detail, cause, name, round(w2, 1) AS this_week, round(w1, 1) AS week_before,
       round(w2 / nullif(w1, 0) + 1e-9, 2) AS trend, devices, round(cost / 1000, 1) AS cost_s
FROM g WHERE w2 > 0
ORDER BY cost_s DESC, detail, cause
LIMIT {top}
