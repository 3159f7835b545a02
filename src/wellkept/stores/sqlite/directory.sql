-- name: put_tenant
INSERT INTO tenants (tenant, name, created_at) VALUES (?, ?, ?) ON CONFLICT (tenant) DO NOTHING

-- name: tenants
SELECT tenant, name, created_at FROM tenants ORDER BY created_at, tenant

-- name: holdings
-- Of all tenants: for the operator of the file, who may count.
SELECT tenant, sum(agents), sum(blocks), sum(memories), sum(sessions), sum(held), sum(passages) FROM (
    SELECT tenant, count(*) AS agents, 0 AS blocks, 0 AS memories, 0 AS sessions, 0 AS held, 0 AS passages
        FROM agents GROUP BY tenant
    UNION ALL SELECT tenant, 0, count(*), 0, 0, 0, 0 FROM blocks GROUP BY tenant
    UNION ALL SELECT tenant, 0, 0, count(*), 0, 0, 0 FROM memories GROUP BY tenant
    UNION ALL SELECT tenant, 0, 0, 0, count(*), 0, 0 FROM sessions GROUP BY tenant
    UNION ALL SELECT tenant, 0, 0, 0, 0, count(*), 0 FROM held_writes GROUP BY tenant
    UNION ALL SELECT tenant, 0, 0, 0, 0, 0, count(*) FROM passages GROUP BY tenant
) GROUP BY tenant ORDER BY tenant

-- name: find_key
SELECT tenant, id, name, hash, hint, user_id, created_at, revoked_at FROM api_keys
WHERE hash = ? AND revoked_at IS NULL

-- name: keys
SELECT tenant, id, name, hash, hint, user_id, created_at, revoked_at FROM api_keys
WHERE tenant = ? ORDER BY created_at DESC, id DESC

-- name: live_key_names
SELECT name FROM api_keys WHERE tenant = ? AND revoked_at IS NULL

-- name: add_key
INSERT INTO api_keys (tenant, id, name, hash, hint, user_id, created_at, revoked_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)

-- name: revoke_key
UPDATE api_keys SET revoked_at = ? WHERE tenant = ? AND id = ? AND revoked_at IS NULL

-- name: agent
SELECT a.id, a.user_id, a.version, a.status, v.config, a.created_at, a.updated_at
FROM agents AS a JOIN agent_versions AS v ON v.tenant = a.tenant AND v.agent = a.id AND v.number = a.version
WHERE a.tenant = ? AND a.id = ?

-- name: agents
SELECT a.id, a.user_id, a.version, a.status, v.config, a.created_at, a.updated_at
FROM agents AS a JOIN agent_versions AS v ON v.tenant = a.tenant AND v.agent = a.id AND v.number = a.version
WHERE a.tenant = ? AND (a.created_at, a.id) < (?, ?)
ORDER BY a.created_at DESC, a.id DESC LIMIT ?

-- name: agents_of_user
SELECT a.id, a.user_id, a.version, a.status, v.config, a.created_at, a.updated_at
FROM agents AS a JOIN agent_versions AS v ON v.tenant = a.tenant AND v.agent = a.id AND v.number = a.version
WHERE a.tenant = ? AND a.user_id = ? AND (a.created_at, a.id) < (?, ?)
ORDER BY a.created_at DESC, a.id DESC LIMIT ?

-- name: add_agent
INSERT INTO agents (tenant, id, user_id, version, status, created_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?)

-- name: add_version
INSERT INTO agent_versions (tenant, agent, number, config, created_at) VALUES (?, ?, ?, ?, ?)

-- name: next_version
UPDATE agents SET version = version + 1, updated_at = ? WHERE tenant = ? AND id = ? RETURNING version

-- name: set_status
UPDATE agents SET status = ?1, updated_at = ?2 WHERE tenant = ?3 AND id = ?4 AND status <> ?1

-- name: versions
SELECT number, config, created_at FROM agent_versions
WHERE tenant = ? AND agent = ? AND number < ? ORDER BY number DESC LIMIT ?

-- name: version
SELECT number, config, created_at FROM agent_versions WHERE tenant = ? AND agent = ? AND number = ?

-- name: delete_agent
-- Its versions go with it, by their foreign key.
DELETE FROM agents WHERE tenant = ? AND id = ?
