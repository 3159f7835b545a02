-- name: prune
-- A few at a time, and never those that somebody else is at.
DELETE FROM wellkept.done_once WHERE tenant = %(tenant)s AND (agent, operation, key) IN (
    SELECT agent, operation, key FROM wellkept.done_once
    WHERE tenant = %(tenant)s AND created_at <= %(kept_since)s
    ORDER BY created_at LIMIT 100 FOR UPDATE SKIP LOCKED
)

-- name: note
-- Waits for another who is noting the same key; answers nothing if that one did.
INSERT INTO wellkept.done_once AS known (tenant, agent, operation, key, fingerprint, resource, created_at)
VALUES (%(tenant)s, '', %(operation)s, %(key)s, %(fingerprint)s, %(resource)s, %(created_at)s)
ON CONFLICT (tenant, agent, operation, key) DO UPDATE SET
    fingerprint = excluded.fingerprint, resource = excluded.resource, created_at = excluded.created_at
WHERE known.created_at <= %(kept_since)s
RETURNING resource

-- name: recall
SELECT fingerprint, resource FROM wellkept.done_once
WHERE tenant = %(tenant)s AND agent = '' AND operation = %(operation)s AND key = %(key)s

-- name: forget_agent
DELETE FROM wellkept.done_once WHERE tenant = %(tenant)s AND agent = %(agent)s
