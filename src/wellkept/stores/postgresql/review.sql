-- name: lock
-- Those who add to what waits for one agent do so one after the other.
SELECT pg_advisory_xact_lock(hashtextextended('held_writes ' || %(tenant)s || ' ' || %(agent)s, 0))

-- name: hold
INSERT INTO wellkept.held_writes (tenant, id, agent, created_at, body)
SELECT %(tenant)s, %(id)s, %(agent)s, %(created_at)s, %(body)s
WHERE (SELECT count(*) FROM wellkept.held_writes WHERE tenant = %(tenant)s AND agent = %(agent)s) < %(most)s
RETURNING id

-- name: newest_first
SELECT body FROM wellkept.held_writes
WHERE tenant = %(tenant)s AND (created_at, id) < (%(at)s, %(after)s)
ORDER BY created_at DESC, id DESC LIMIT %(limit)s

-- name: get
SELECT body FROM wellkept.held_writes WHERE tenant = %(tenant)s AND id = %(id)s

-- name: claim
-- Changes nothing while the claim of somebody else lasts.
UPDATE wellkept.held_writes SET claimed_by = %(holder)s, claimed_until = %(until)s
WHERE tenant = %(tenant)s AND id = %(id)s
    AND (claimed_by IS NULL OR claimed_by = %(holder)s OR claimed_until <= %(at)s)
RETURNING body

-- name: release
UPDATE wellkept.held_writes SET claimed_by = NULL, claimed_until = NULL
WHERE tenant = %(tenant)s AND id = %(id)s AND claimed_by = %(holder)s

-- name: take
DELETE FROM wellkept.held_writes WHERE tenant = %(tenant)s AND id = %(id)s RETURNING body

-- name: delete_of_agent
DELETE FROM wellkept.held_writes WHERE tenant = %(tenant)s AND agent = %(agent)s
