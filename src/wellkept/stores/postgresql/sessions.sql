-- name: open
INSERT INTO wellkept.sessions (tenant, agent, session, user_id, version, length, created_at, updated_at)
VALUES (%(tenant)s, %(agent)s, %(session)s, %(user_id)s, %(version)s, 0, %(created_at)s, %(updated_at)s)
ON CONFLICT (tenant, agent, session) DO NOTHING

-- name: get
SELECT session, user_id, version, length, created_at, updated_at FROM wellkept.sessions
WHERE tenant = %(tenant)s AND agent = %(agent)s AND session = %(session)s

-- name: get_locked
SELECT session, user_id, version, length, created_at, updated_at FROM wellkept.sessions
WHERE tenant = %(tenant)s AND agent = %(agent)s AND session = %(session)s FOR NO KEY UPDATE

-- name: newest_first
SELECT session, user_id, version, length, created_at, updated_at FROM wellkept.sessions
WHERE tenant = %(tenant)s AND agent = %(agent)s AND (created_at, session) < (%(before)s, %(after)s)
ORDER BY created_at DESC, session DESC LIMIT %(limit)s

-- name: of_user_newest_first
SELECT session, user_id, version, length, created_at, updated_at FROM wellkept.sessions
WHERE tenant = %(tenant)s AND agent = %(agent)s AND user_id = %(user_id)s
    AND created_at <= %(before)s AND (created_at, session) < (%(before)s, %(after)s)
ORDER BY created_at DESC, session DESC LIMIT %(limit)s

-- name: grow
UPDATE wellkept.sessions SET length = %(length)s, updated_at = %(updated_at)s
WHERE tenant = %(tenant)s AND agent = %(agent)s AND session = %(session)s

-- name: messages
SELECT number, role, text, at, payload FROM wellkept.messages
WHERE tenant = %(tenant)s AND agent = %(agent)s AND session = %(session)s AND number > %(above)s
ORDER BY number LIMIT %(limit)s

-- name: add_messages
INSERT INTO wellkept.messages (tenant, agent, session, number, role, at, text, payload)
SELECT %(tenant)s, %(agent)s, %(session)s, number, role, at, text, payload
FROM unnest(%(numbers)s::integer[], %(roles)s::text[], %(ats)s::bigint[], %(texts)s::text[], %(payloads)s::text[])
    AS new (number, role, at, text, payload)

-- name: claim
-- Changes nothing while the claim of somebody else lasts.
INSERT INTO wellkept.session_claims AS held (tenant, agent, session, holder, until)
VALUES (%(tenant)s, %(agent)s, %(session)s, %(holder)s, %(until)s)
ON CONFLICT (tenant, agent, session) DO UPDATE SET holder = excluded.holder, until = excluded.until
WHERE held.holder = excluded.holder OR held.until <= %(at)s
RETURNING holder

-- name: release
DELETE FROM wellkept.session_claims
WHERE tenant = %(tenant)s AND agent = %(agent)s AND session = %(session)s AND holder = %(holder)s

-- name: delete_claim
DELETE FROM wellkept.session_claims WHERE tenant = %(tenant)s AND agent = %(agent)s AND session = %(session)s

-- name: delete
-- Its messages go with it, by their foreign key.
DELETE FROM wellkept.sessions WHERE tenant = %(tenant)s AND agent = %(agent)s AND session = %(session)s
RETURNING session

-- name: delete_claims_of_agent
DELETE FROM wellkept.session_claims WHERE tenant = %(tenant)s AND agent = %(agent)s

-- name: delete_of_agent
DELETE FROM wellkept.sessions WHERE tenant = %(tenant)s AND agent = %(agent)s
