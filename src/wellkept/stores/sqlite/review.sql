-- name: count_of_agent
SELECT count(*) FROM held_writes WHERE tenant = ? AND agent = ?

-- name: hold
INSERT INTO held_writes (tenant, id, agent, user_id, created_at, body) VALUES (?, ?, ?, ?, ?, ?)

-- name: newest_first
SELECT body FROM held_writes WHERE tenant = ? AND (created_at, id) < (?, ?) ORDER BY created_at DESC, id DESC LIMIT ?

-- name: get
SELECT body FROM held_writes WHERE tenant = ? AND id = ?

-- name: take
DELETE FROM held_writes WHERE tenant = ? AND id = ? RETURNING body

-- name: delete_of_agent
DELETE FROM held_writes WHERE tenant = ? AND agent = ?
