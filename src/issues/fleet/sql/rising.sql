-- causes that come more often in the new release, by session
-- A row is a finding.
-- include: rates
SELECT detail, cause, name, among, new_devices AS devices, round(rate / ratio + 1e-9, 3) AS per_1000_old,
       round(rate + 1e-9, 3) AS per_1000_new, round(ratio + 1e-9, 2) AS times,
       round(ratio * exp(-width) + 1e-9, 2) AS at_least, round(ratio * exp(width) + 1e-9, 2) AS at_most,
       round(chance, 6) AS chance
FROM z WHERE place = 1 AND p > q AND any1 > 0 AND new_devices >= 5 AND chance < 0.001
             AND coalesce(ratio, 2) >= 1.1
ORDER BY round(evidence, 6) DESC, detail, cause
LIMIT {top}
