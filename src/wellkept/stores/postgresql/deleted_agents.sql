-- name: refuse
-- Before the other statements of a write that belongs to an agent.
SELECT wellkept.write_for_agent(%(tenant)s, %(agent)s)

-- name: lock
-- In a statement of its own: what the next one sees is newer than what this one waited for.
SELECT pg_advisory_xact_lock(hashtextextended('agents ' || %(tenant)s || ' ' || %(agent)s, 0))

-- name: note
-- While the agent is still there: one that never was must not be refused for ever.
INSERT INTO wellkept.deleted_agents (tenant, agent)
SELECT %(tenant)s, id FROM wellkept.agents WHERE tenant = %(tenant)s AND id = %(agent)s
ON CONFLICT (tenant, agent) DO NOTHING

-- name: forget
DELETE FROM wellkept.deleted_agents WHERE tenant = %(tenant)s AND agent = %(agent)s
