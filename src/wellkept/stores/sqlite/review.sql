-- name: count_of_agent
SELECT count(*) FROM held_writes WHERE tenant = ? AND agent = ?

-- name: hold
INSERT INTO held_writes (tenant, id, agent, user_id, created_at, body) VALUES (?, ?, ?, ?, ?, ?)

-- name: newest_first
SELECT body FROM held_writes WHERE tenant = ? AND (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?

-- name: get
SELECT body FROM held_writes WHERE tenant = ? AND id = ?

-- name: claim
-- Changes nothing while the claim of somebody else lasts.
UPDATE held_writes SET claimed_by = ?1, claimed_until = ?2
WHERE tenant = ?3 AND id = ?4 AND (claimed_by IS NULL OR claimed_by = ?1 OR claimed_until <= ?5)
RETURNING body

-- name: release
UPDATE held_writes SET claimed_by = NULL, claimed_until = NULL WHERE tenant = ? AND id = ? AND claimed_by = ?

-- name: take
DELETE FROM held_writes WHERE tenant = ? AND id = ? RETURNING body

-- name: delete_of_agent
DELETE FROM held_writes WHERE tenant = ? AND agent = ?
