-- What servers of schema 1 send about memories, as it was first released. They may go on while a newer server has changed
-- the schema: none of this may change, and all of it must work.

-- name: get
SELECT created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status FROM wellkept.memories
WHERE tenant = %(tenant)s AND agent = %(agent)s AND id = %(id)s

-- name: get_locked
SELECT created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status FROM wellkept.memories
WHERE tenant = %(tenant)s AND agent = %(agent)s AND id = %(id)s FOR UPDATE

-- name: get_many
SELECT created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status FROM wellkept.memories
WHERE tenant = %(tenant)s AND agent = %(agent)s AND id = ANY (%(ids)s::text[])

-- name: pool_newest_first
SELECT created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status FROM wellkept.memories
WHERE tenant = %(tenant)s AND agent = %(agent)s AND (created_at, id) < (%(at)s, %(after)s)
ORDER BY created_at DESC, id DESC LIMIT %(limit)s

-- name: partitions_newest_first
-- One scan a partition, each in the order of its index.
SELECT m.created_at, m.id, m.user_id, m.text, m.updated_at, m.last_accessed_at, m.pinned, m.origin, m.status
FROM unnest(%(partitions)s::text[]) AS one (user_id) CROSS JOIN LATERAL (
    SELECT * FROM wellkept.memories
    WHERE tenant = %(tenant)s AND agent = %(agent)s AND user_id = one.user_id
        AND (created_at, id) < (%(at)s, %(after)s)
    ORDER BY created_at DESC, id DESC LIMIT %(limit)s
) AS m
ORDER BY m.created_at DESC, m.id DESC LIMIT %(limit)s

-- name: pool_matching
SELECT created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status FROM wellkept.memories
WHERE tenant = %(tenant)s AND agent = %(agent)s AND (created_at, id) < (%(at)s, %(after)s)
    AND web_vector @@ %(query)s::tsquery
ORDER BY created_at DESC, id DESC LIMIT %(limit)s

-- name: partitions_matching
SELECT m.created_at, m.id, m.user_id, m.text, m.updated_at, m.last_accessed_at, m.pinned, m.origin, m.status
FROM unnest(%(partitions)s::text[]) AS one (user_id) CROSS JOIN LATERAL (
    SELECT * FROM wellkept.memories
    WHERE tenant = %(tenant)s AND agent = %(agent)s AND user_id = one.user_id
        AND (created_at, id) < (%(at)s, %(after)s) AND web_vector @@ %(query)s::tsquery
    ORDER BY created_at DESC, id DESC LIMIT %(limit)s
) AS m
ORDER BY m.created_at DESC, m.id DESC LIMIT %(limit)s

-- name: pool_tokens
SELECT id, rank_tokens FROM wellkept.memories
WHERE tenant = %(tenant)s AND agent = %(agent)s ORDER BY created_at DESC, id DESC

-- name: partitions_tokens
SELECT id, rank_tokens FROM wellkept.memories
WHERE tenant = %(tenant)s AND agent = %(agent)s AND user_id = ANY (%(partitions)s::text[])
ORDER BY created_at DESC, id DESC

-- name: count_pool
SELECT coalesce(sum(memories), 0) FROM wellkept.pools WHERE tenant = %(tenant)s AND agent = %(agent)s

-- name: count_partitions
SELECT count(*) FROM wellkept.memories
WHERE tenant = %(tenant)s AND agent = %(agent)s AND user_id = ANY (%(partitions)s::text[])

-- name: create
SELECT * FROM wellkept.create_memory(
    %(tenant)s, %(agent)s, %(id)s, %(user_id)s, %(pinned)s, %(origin)s, %(status)s,
    %(created_at)s, %(updated_at)s, %(last_accessed_at)s, %(text)s, %(web_vector)s,
    %(rank_tokens)s, %(cap)s, %(victims)s::text[], %(unless_in)s::text[], %(touched)s::text[], %(touched_at)s::bigint[],
    %(operation)s, %(key)s, %(fingerprint)s, %(kept_since)s
)

-- name: lock_pool
SELECT wellkept.lock_pool(%(tenant)s, %(agent)s)

-- name: candidates
-- With the uses that are not noted yet.
SELECT m.pinned, greatest(m.last_accessed_at, used.at), m.created_at, m.id, m.user_id
FROM wellkept.memories AS m
LEFT JOIN (SELECT unnest(%(touched)s::text[]) AS id, unnest(%(touched_at)s::bigint[]) AS at) AS used ON used.id = m.id
WHERE m.tenant = %(tenant)s AND m.agent = %(agent)s

-- name: update_text
UPDATE wellkept.memories SET text = %(text)s, web_vector = %(web_vector)s::tsvector, rank_tokens = %(rank_tokens)s
WHERE tenant = %(tenant)s AND agent = %(agent)s AND id = %(id)s

-- name: update_row
UPDATE wellkept.memories
SET pinned = %(pinned)s, updated_at = %(updated_at)s, last_accessed_at = %(last_accessed_at)s
WHERE tenant = %(tenant)s AND agent = %(agent)s AND id = %(id)s

-- name: touch
SELECT wellkept.touch(%(tenant)s, %(agent)s, %(touched)s::text[], %(touched_at)s::bigint[])

-- name: delete
DELETE FROM wellkept.memories WHERE tenant = %(tenant)s AND agent = %(agent)s AND id = %(id)s

-- name: count_one_less
UPDATE wellkept.pools SET memories = memories - 1 WHERE tenant = %(tenant)s AND agent = %(agent)s

-- name: delete_pools_row
DELETE FROM wellkept.pools WHERE tenant = %(tenant)s AND agent = %(agent)s

-- name: delete_pool
WITH gone AS (
    DELETE FROM wellkept.memories WHERE tenant = %(tenant)s AND agent = %(agent)s RETURNING id
)
SELECT count(*) FROM gone
