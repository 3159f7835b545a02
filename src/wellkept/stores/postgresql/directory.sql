-- name: put_tenant
INSERT INTO wellkept.tenants (tenant, name, created_at) VALUES (%(tenant)s, %(name)s, %(created_at)s)
ON CONFLICT (tenant) DO NOTHING RETURNING tenant

-- name: tenants
SELECT tenant, name, created_at FROM wellkept.all_tenants()

-- name: first_tenant
SELECT tenant, name, created_at FROM wellkept.first_tenant(%(tenant)s, %(name)s, %(created_at)s)

-- name: holdings
-- Of all tenants: for the operator, who may count.
SELECT tenant, agents, blocks, memories, sessions, held, passages FROM wellkept.holdings()

-- name: find_key
SELECT tenant, id, name, hash, hint, user_id, created_at, revoked_at FROM wellkept.find_key(%(hash)s)

-- name: keys
SELECT tenant, id, name, hash, hint, user_id, created_at, revoked_at FROM wellkept.api_keys
WHERE tenant = %(tenant)s ORDER BY created_at DESC, id DESC

-- name: lock_keys
-- Those who add a tenant's keys do so one after the other.
SELECT pg_advisory_xact_lock(hashtextextended('api_keys ' || %(tenant)s, 0))

-- name: live_key_names
SELECT name FROM wellkept.api_keys WHERE tenant = %(tenant)s AND revoked_at IS NULL

-- name: add_key
INSERT INTO wellkept.api_keys (tenant, id, name, hash, hint, user_id, created_at, revoked_at)
VALUES (%(tenant)s, %(id)s, %(name)s, %(hash)s, %(hint)s, %(user_id)s, %(created_at)s, %(revoked_at)s)

-- name: revoke_key
UPDATE wellkept.api_keys SET revoked_at = %(revoked_at)s
WHERE tenant = %(tenant)s AND id = %(id)s AND revoked_at IS NULL RETURNING id

-- name: agent
SELECT a.id, a.user_id, a.version, a.status, v.config, a.created_at, a.updated_at
FROM wellkept.agents AS a
JOIN wellkept.agent_versions AS v ON v.tenant = %(tenant)s AND v.agent = a.id AND v.number = a.version
WHERE a.tenant = %(tenant)s AND a.id = %(agent)s

-- name: lock_agent
-- In a statement of its own: what the next one reads is newer than what this one waited for.
SELECT FROM wellkept.agents WHERE tenant = %(tenant)s AND id = %(agent)s FOR NO KEY UPDATE

-- name: agents
SELECT a.id, a.user_id, a.version, a.status, v.config, a.created_at, a.updated_at
FROM wellkept.agents AS a
JOIN wellkept.agent_versions AS v ON v.tenant = %(tenant)s AND v.agent = a.id AND v.number = a.version
WHERE a.tenant = %(tenant)s AND (a.created_at, a.id) < (%(at)s, %(after)s)
ORDER BY a.created_at DESC, a.id DESC LIMIT %(limit)s

-- name: agents_of_user
SELECT a.id, a.user_id, a.version, a.status, v.config, a.created_at, a.updated_at
FROM wellkept.agents AS a
JOIN wellkept.agent_versions AS v ON v.tenant = %(tenant)s AND v.agent = a.id AND v.number = a.version
WHERE a.tenant = %(tenant)s AND a.user_id = %(user_id)s AND (a.created_at, a.id) < (%(at)s, %(after)s)
ORDER BY a.created_at DESC, a.id DESC LIMIT %(limit)s

-- name: add_agent
INSERT INTO wellkept.agents (tenant, id, user_id, version, status, created_at, updated_at)
VALUES (%(tenant)s, %(agent)s, %(user_id)s, %(number)s, %(status)s, %(created_at)s, %(updated_at)s)

-- name: add_version
INSERT INTO wellkept.agent_versions (tenant, agent, number, config, created_at)
VALUES (%(tenant)s, %(agent)s, %(number)s, %(config)s, %(updated_at)s)

-- name: next_version
UPDATE wellkept.agents SET version = %(number)s, updated_at = %(updated_at)s
WHERE tenant = %(tenant)s AND id = %(agent)s

-- name: set_status
UPDATE wellkept.agents SET status = %(status)s, updated_at = %(updated_at)s
WHERE tenant = %(tenant)s AND id = %(agent)s AND status <> %(status)s

-- name: versions
SELECT number, config, created_at FROM wellkept.agent_versions
WHERE tenant = %(tenant)s AND agent = %(agent)s AND number < %(before)s ORDER BY number DESC LIMIT %(limit)s

-- name: version
SELECT number, config, created_at FROM wellkept.agent_versions
WHERE tenant = %(tenant)s AND agent = %(agent)s AND number = %(number)s

-- name: delete_agent
-- Its versions go with it, by their foreign key.
DELETE FROM wellkept.agents WHERE tenant = %(tenant)s AND id = %(agent)s RETURNING id
