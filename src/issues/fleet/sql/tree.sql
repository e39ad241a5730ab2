-- the time of chains of callers in a run, of two releases, the greatest first
-- include: chains
SELECT path, parent, depth, name, round(all_old, 3) AS old_ms, round(all_new, 3) AS new_ms
FROM z
ORDER BY round(all_old + all_new, 6) DESC, depth, path
LIMIT {top}
