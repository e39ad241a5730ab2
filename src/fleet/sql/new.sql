-- causes of the new release that the old one never had
-- A row is a finding.
-- Three devices at least, so that no single one makes a cause.
WITH i AS (SELECT detail, cause, cause_name, device, app_release, day, cost_ms, coalesce(weight, 1) AS w
           FROM issues WHERE app_release IN ({old}, {new}) AND cause IS NOT NULL AND {where}),
     g AS (SELECT detail, cause, max(cause_name) AS name, count(DISTINCT device) AS devices, sum(w) AS n,
                  sum(cost_ms * w) AS cost, min(day) AS since,
                  sum(CASE WHEN app_release = {old} THEN 1 ELSE 0 END) AS before
           FROM i GROUP BY detail, cause)
SELECT detail, cause, name, devices, round(n, 1) AS issues, round(cost / 1000, 1) AS cost_s,
       since AS first_day
FROM g WHERE before = 0 AND devices >= 3
ORDER BY devices DESC, detail, cause
LIMIT {top}
