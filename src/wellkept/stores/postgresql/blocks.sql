-- name: get_many
SELECT scope, owner, key, text, updated_at FROM wellkept.blocks
WHERE tenant = %(tenant)s AND (scope, owner, key) IN (
    SELECT * FROM unnest(%(scopes)s::text[], %(owners)s::text[], %(keys)s::text[])
)

-- name: get
SELECT text, updated_at FROM wellkept.blocks
WHERE tenant = %(tenant)s AND scope = %(scope)s AND owner = %(owner)s AND key = %(key)s

-- name: of_owner
SELECT key, text, updated_at FROM wellkept.blocks
WHERE tenant = %(tenant)s AND scope = %(scope)s AND owner = %(owner)s ORDER BY key

-- name: lock
-- Whether there is a block or not, there is a row to lock; what follows in the transaction sees what its last holder did.
INSERT INTO wellkept.block_heads AS head (tenant, scope, owner, key, last_revision)
VALUES (%(tenant)s, %(scope)s, %(owner)s, %(key)s, 0)
ON CONFLICT (tenant, scope, owner, key) DO UPDATE SET last_revision = head.last_revision

-- name: put
INSERT INTO wellkept.blocks (tenant, scope, owner, key, updated_at, text)
VALUES (%(tenant)s, %(scope)s, %(owner)s, %(key)s, %(updated_at)s, %(text)s)
ON CONFLICT (tenant, scope, owner, key) DO UPDATE SET updated_at = excluded.updated_at, text = excluded.text

-- name: delete
DELETE FROM wellkept.blocks
WHERE tenant = %(tenant)s AND scope = %(scope)s AND owner = %(owner)s AND key = %(key)s

-- name: add_revision
WITH head AS (
    UPDATE wellkept.block_heads SET last_revision = last_revision + 1
    WHERE tenant = %(tenant)s AND scope = %(scope)s AND owner = %(owner)s AND key = %(key)s
    RETURNING last_revision
)
INSERT INTO wellkept.block_revisions (
    tenant, scope, owner, key, number, actor, at, session, etag_before, etag_after, text
) SELECT
    %(tenant)s, %(scope)s, %(owner)s, %(key)s, last_revision, %(actor)s, %(at)s, %(session)s, %(etag_before)s,
    %(etag_after)s, %(text)s
FROM head

-- name: revisions
SELECT number, text, actor, at, session, etag_before, etag_after FROM wellkept.block_revisions
WHERE tenant = %(tenant)s AND scope = %(scope)s AND owner = %(owner)s AND key = %(key)s AND number < %(before)s
ORDER BY number DESC LIMIT %(limit)s

-- name: lock_owner
-- In the order of their keys, so that two who do so never wait for each other.
SELECT FROM wellkept.block_heads
WHERE tenant = %(tenant)s AND scope = %(scope)s AND owner = %(owner)s ORDER BY key FOR UPDATE

-- name: delete_owners_heads
DELETE FROM wellkept.block_heads WHERE tenant = %(tenant)s AND scope = %(scope)s AND owner = %(owner)s

-- name: delete_owners_revisions
DELETE FROM wellkept.block_revisions WHERE tenant = %(tenant)s AND scope = %(scope)s AND owner = %(owner)s

-- name: delete_owners_blocks
WITH gone AS (
    DELETE FROM wellkept.blocks WHERE tenant = %(tenant)s AND scope = %(scope)s AND owner = %(owner)s RETURNING key
)
SELECT count(*) FROM gone
