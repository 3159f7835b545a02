-- name: open
INSERT INTO sessions (tenant, agent, session, user_id, version, length, created_at, updated_at)
VALUES (?, ?, ?, ?, ?, 0, ?, ?)
ON CONFLICT (tenant, agent, session) DO NOTHING

-- name: get
SELECT session, user_id, version, length, created_at, updated_at FROM sessions
WHERE tenant = ? AND agent = ? AND session = ?

-- name: newest_first
SELECT session, user_id, version, length, created_at, updated_at FROM sessions
WHERE tenant = ? AND agent = ? AND (created_at, session) < (?, ?)
ORDER BY created_at DESC, session DESC LIMIT ?

-- name: of_user_newest_first
SELECT session, user_id, version, length, created_at, updated_at FROM sessions
WHERE tenant = ? AND agent = ? AND user_id = ? AND (created_at, session) < (?, ?)
ORDER BY created_at DESC, session DESC LIMIT ?

-- name: grow
UPDATE sessions SET length = ?, updated_at = ? WHERE tenant = ? AND agent = ? AND session = ?

-- name: messages
SELECT number, role, text, at, payload FROM messages
WHERE tenant = ? AND agent = ? AND session = ? AND number > ? ORDER BY number LIMIT ?

-- name: add_message
INSERT INTO messages (tenant, agent, session, number, role, at, text, payload) VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: claim
-- Changes nothing while the claim of somebody else lasts.
INSERT INTO session_claims (tenant, agent, session, holder, until) VALUES (?1, ?2, ?3, ?4, ?5)
ON CONFLICT (tenant, agent, session) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE holder = excluded.holder OR until <= ?6

-- name: release
DELETE FROM session_claims WHERE tenant = ? AND agent = ? AND session = ? AND holder = ?

-- name: delete_claim
DELETE FROM session_claims WHERE tenant = ? AND agent = ? AND session = ?

-- name: delete
-- Its messages go with it, by their foreign key.
DELETE FROM sessions WHERE tenant = ? AND agent = ? AND session = ?

-- name: delete_claims_of_agent
DELETE FROM session_claims WHERE tenant = ? AND agent = ?

-- name: delete_of_agent
DELETE FROM sessions WHERE tenant = ? AND agent = ?
