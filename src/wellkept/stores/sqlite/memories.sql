-- name: get
SELECT created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status FROM memories
WHERE tenant = ? AND agent = ? AND id = ?

-- name: pool_newest_first
SELECT created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status FROM memories
WHERE tenant = ? AND agent = ? AND (created_at, id) < (?, ?)
ORDER BY created_at DESC, id DESC LIMIT ?

-- name: partition_newest_first
SELECT created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status FROM memories
WHERE tenant = ? AND agent = ? AND user_id = ? AND (created_at, id) < (?, ?)
ORDER BY created_at DESC, id DESC LIMIT ?

-- name: pool_matching
-- Only rows whose vector holds what is asked for (each has the space that stands before the first word).
SELECT created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status, web_vector FROM memories
WHERE tenant = ? AND agent = ? AND (created_at, id) < (?, ?) AND instr(' ' || web_vector, ?)
ORDER BY created_at DESC, id DESC

-- name: partition_matching
SELECT created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status, web_vector FROM memories
WHERE tenant = ? AND agent = ? AND user_id = ? AND (created_at, id) < (?, ?) AND instr(' ' || web_vector, ?)
ORDER BY created_at DESC, id DESC

-- name: pool_tokens
SELECT created_at, id, rank_tokens FROM memories
WHERE tenant = ? AND agent = ?
ORDER BY created_at DESC, id DESC

-- name: partition_tokens
SELECT created_at, id, rank_tokens FROM memories
WHERE tenant = ? AND agent = ? AND user_id = ?
ORDER BY created_at DESC, id DESC

-- name: twin
SELECT created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status FROM memories
WHERE tenant = ? AND agent = ? AND user_id = ? AND text = ?
ORDER BY created_at DESC, id DESC LIMIT 1

-- name: count_pool
SELECT count(*) FROM memories WHERE tenant = ? AND agent = ?

-- name: count_partition
SELECT count(*) FROM memories WHERE tenant = ? AND agent = ? AND user_id = ?

-- name: least_used
-- The order of `wellkept.rules.evict.Candidate`.
SELECT id FROM memories WHERE tenant = ? AND agent = ?
ORDER BY pinned, last_accessed_at, created_at, id LIMIT ?

-- name: candidates
SELECT pinned, last_accessed_at, created_at, id, user_id FROM memories WHERE tenant = ? AND agent = ?

-- name: insert
INSERT INTO memories (
    tenant, agent, id, user_id, pinned, origin, status, created_at, updated_at, last_accessed_at,
    text, web_vector, rank_tokens
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: update_text
UPDATE memories SET text = ?, web_vector = ?, rank_tokens = ? WHERE tenant = ? AND agent = ? AND id = ?

-- name: update_row
UPDATE memories SET pinned = ?, updated_at = ?, last_accessed_at = ? WHERE tenant = ? AND agent = ? AND id = ?

-- name: touch
UPDATE memories SET last_accessed_at = ?4 WHERE tenant = ?1 AND agent = ?2 AND id = ?3 AND last_accessed_at < ?4

-- name: delete
DELETE FROM memories WHERE tenant = ? AND agent = ? AND id = ?

-- name: delete_pool
DELETE FROM memories WHERE tenant = ? AND agent = ?
