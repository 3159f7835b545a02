-- name: get
SELECT 1 FROM deleted_agents WHERE tenant = ? AND agent = ?

-- name: add
INSERT INTO deleted_agents (tenant, agent) VALUES (?, ?) ON CONFLICT (tenant, agent) DO NOTHING

-- name: remove
DELETE FROM deleted_agents WHERE tenant = ? AND agent = ?
