-- name: get
SELECT text, updated_at FROM blocks WHERE tenant = ? AND scope = ? AND owner = ? AND key = ?

-- name: of_owner
SELECT key, text, updated_at FROM blocks WHERE tenant = ? AND scope = ? AND owner = ? ORDER BY key

-- name: put
INSERT INTO blocks (tenant, scope, owner, key, updated_at, text) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, scope, owner, key) DO UPDATE SET updated_at = excluded.updated_at, text = excluded.text

-- name: delete
DELETE FROM blocks WHERE tenant = ? AND scope = ? AND owner = ? AND key = ?

-- name: delete_all
DELETE FROM blocks WHERE tenant = ? AND scope = ? AND owner = ?

-- name: last_revision
SELECT coalesce(max(number), 0) FROM block_revisions WHERE tenant = ? AND scope = ? AND owner = ? AND key = ?

-- name: add_revision
INSERT INTO block_revisions (tenant, scope, owner, key, number, actor, at, session, etag_before, etag_after, text)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: revisions
SELECT number, text, actor, at, session, etag_before, etag_after FROM block_revisions
WHERE tenant = ? AND scope = ? AND owner = ? AND key = ? AND number < ?
ORDER BY number DESC LIMIT ?

-- name: delete_all_revisions
DELETE FROM block_revisions WHERE tenant = ? AND scope = ? AND owner = ?
