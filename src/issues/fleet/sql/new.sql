-- causes of the new release that the old one does not have
-- A row is a finding.
-- include: rates
SELECT detail, cause, name, among, new_devices AS devices, round(n2, 1) AS issues,
       round(rate + 1e-9, 3) AS per_1000, round((1 - q) / q * n2 / 3 + 1e-9, 2) AS at_least_times,
       round(chance, 6) AS chance
FROM z WHERE place = 1 AND any1 = 0 AND new_devices >= 3 AND chance < 0.001
ORDER BY round(evidence, 6) DESC, detail, cause
LIMIT {top}
