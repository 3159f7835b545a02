-- name: prune
DELETE FROM done_once WHERE tenant = ? AND created_at <= ?

-- name: get
SELECT fingerprint, resource FROM done_once WHERE tenant = ? AND agent = ? AND operation = ? AND key = ?

-- name: add
INSERT INTO done_once (tenant, agent, operation, key, fingerprint, resource, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: forget_agent
DELETE FROM done_once WHERE tenant = ? AND agent = ?
