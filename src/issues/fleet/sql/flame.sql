-- chains of callers that got slower
-- include: chains
SELECT path, depth, name, round(own_old, 3) AS old_ms, round(own_new, 3) AS new_ms,
       round(own_new - own_old, 3) AS more_ms
FROM z
ORDER BY abs(round(own_new - own_old, 3)) DESC, path
LIMIT {top}
