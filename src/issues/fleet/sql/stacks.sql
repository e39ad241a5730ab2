-- a stack of each cause of two weeks, the longest, most frequent causes first
WITH i AS (SELECT detail, cause, frames, cost_ms, model, app_release,
                  count(*) OVER (PARTITION BY detail, cause) AS issues,
                  row_number() OVER (PARTITION BY detail, cause ORDER BY cost_ms DESC, device, incident) AS place
           FROM issues WHERE day >= {weeks} AND cause IS NOT NULL AND {where})
SELECT detail, cause, issues, cost_ms, model, app_release, frames
FROM i WHERE place = 1
ORDER BY issues DESC, detail, cause
LIMIT {top}
