-- Many rows come as one JSON text: the driver writes it in half the time that arrays take.
--
-- What is found by id or by message says `owner + 0`, and what is looked up row by row `OFFSET 0`: before the tables were
-- first analysed, PostgreSQL takes any index whose name begins like the right one for as good, and reads all of an owner.

-- name: lock
-- In a statement of its own: what the next ones read is newer than what this one waited for.
SELECT wellkept.lock_passages(%(tenant)s, %(agent)s, %(user_id)s)

-- name: of_messages
SELECT p.session, p.message, p.part, p.number, p.kind, p.speaker, p.at, p.text, p.metadata, p.sources
FROM wellkept.passage_owners AS o
CROSS JOIN unnest(%(sessions)s::text[], %(kinds)s::text[], %(messages)s::text[]) AS asked (session, kind, message)
CROSS JOIN LATERAL (
    SELECT * FROM wellkept.passages
    WHERE tenant = %(tenant)s AND session = asked.session AND message = asked.message AND kind = asked.kind
        AND owner + 0 = o.number
    OFFSET 0
) AS p
WHERE o.tenant = %(tenant)s AND o.agent = %(agent)s AND o.user_id = %(user_id)s

-- name: next_revision
-- With the first passages of an owner whatever somebody knew before is gone.
UPDATE wellkept.passage_owners AS o SET
    revision = next.revision,
    removals = CASE WHEN %(removes)s OR o.revision = 0 THEN next.revision ELSE o.removals END
FROM (SELECT nextval('wellkept.passage_revisions') AS revision) AS next
WHERE o.tenant = %(tenant)s AND o.agent = %(agent)s AND o.user_id = %(user_id)s

-- name: write
INSERT INTO wellkept.passages (
    tenant, owner, revision, at, part, number, id, kind, session, message, speaker, metadata, sources, text, entry
) SELECT
    %(tenant)s, o.number, o.revision, new.at, new.part, new.number, new.id, new.kind, new.session, new.message,
    new.speaker, new.metadata, new.sources, new.text, decode(new.entry, 'base64')
FROM json_to_recordset(%(rows)s::json) AS new (
    at bigint, part integer, number integer, id text, kind text, session text, message text, speaker text,
    metadata text, sources text, text text, entry text
)
JOIN wellkept.passage_owners AS o ON o.tenant = %(tenant)s AND o.agent = %(agent)s AND o.user_id = %(user_id)s
ON CONFLICT (tenant, id) DO UPDATE SET
    revision = excluded.revision, at = excluded.at, number = excluded.number, speaker = excluded.speaker,
    metadata = excluded.metadata, sources = excluded.sources, text = excluded.text, entry = excluded.entry

-- name: remove
DELETE FROM wellkept.passages
WHERE tenant = %(tenant)s AND id = ANY (%(gone)s::text[]) AND owner + 0 = (
    SELECT number FROM wellkept.passage_owners
    WHERE tenant = %(tenant)s AND agent = %(agent)s AND user_id = %(user_id)s
)

-- name: remove_vectors
DELETE FROM wellkept.passage_vectors
WHERE tenant = %(tenant)s AND passage = ANY (%(outdated)s::text[]) AND owner = (
    SELECT number FROM wellkept.passage_owners
    WHERE tenant = %(tenant)s AND agent = %(agent)s AND user_id = %(user_id)s
)

-- name: write_vectors
-- Those of passages that are there.
INSERT INTO wellkept.passage_vectors (tenant, owner, passage, model, data)
SELECT %(tenant)s, p.owner, p.id, new.model, decode(new.data, 'base64')
FROM wellkept.passage_owners AS o CROSS JOIN json_to_recordset(%(vectors)s::json) AS new (id text, model text, data text)
CROSS JOIN LATERAL (
    SELECT owner, id FROM wellkept.passages WHERE tenant = %(tenant)s AND id = new.id AND owner + 0 = o.number OFFSET 0
) AS p
WHERE o.tenant = %(tenant)s AND o.agent = %(agent)s AND o.user_id = %(user_id)s
ON CONFLICT (tenant, owner, passage, model) DO UPDATE SET data = excluded.data

-- name: lock_owner
SELECT FROM wellkept.passage_owners
WHERE tenant = %(tenant)s AND agent = %(agent)s AND user_id = %(user_id)s FOR UPDATE

-- name: count_those
SELECT count(p.id) FROM wellkept.passage_owners AS o
JOIN wellkept.passages AS p ON p.tenant = %(tenant)s AND p.id = ANY (%(vectored)s::text[]) AND p.owner + 0 = o.number
WHERE o.tenant = %(tenant)s AND o.agent = %(agent)s AND o.user_id = %(user_id)s

-- name: rewritten
UPDATE wellkept.passages AS p SET revision = o.revision
FROM wellkept.passage_owners AS o
WHERE o.tenant = %(tenant)s AND o.agent = %(agent)s AND o.user_id = %(user_id)s
    AND p.tenant = %(tenant)s AND p.id = ANY (%(vectored)s::text[]) AND p.owner + 0 = o.number

-- name: stamp
SELECT revision, removals FROM wellkept.passage_owners
WHERE tenant = %(tenant)s AND agent = %(agent)s AND user_id = %(user_id)s

-- name: changed_since
SELECT
    p.session, p.message, p.part, p.number, p.kind, p.speaker, p.at, p.text, p.metadata, p.sources,
    p.revision, p.entry, v.data
FROM wellkept.passage_owners AS o
CROSS JOIN LATERAL (
    SELECT * FROM wellkept.passages
    WHERE tenant = %(tenant)s AND owner = o.number AND (revision, id) > (%(above)s, %(after)s)
    ORDER BY revision, id LIMIT %(limit)s
) AS p
LEFT JOIN LATERAL (
    SELECT data FROM wellkept.passage_vectors
    WHERE tenant = %(tenant)s AND owner = p.owner AND passage = p.id AND model = %(model)s OFFSET 0
) AS v ON true
WHERE o.tenant = %(tenant)s AND o.agent = %(agent)s AND o.user_id = %(user_id)s
ORDER BY p.revision, p.id

-- name: ids
SELECT p.id FROM wellkept.passage_owners AS o
JOIN wellkept.passages AS p ON p.tenant = %(tenant)s AND p.owner = o.number
WHERE o.tenant = %(tenant)s AND o.agent = %(agent)s AND o.user_id = %(user_id)s

-- name: get
SELECT p.session, p.message, p.part, p.number, p.kind, p.speaker, p.at, p.text, p.metadata, p.sources
FROM wellkept.passage_owners AS o
JOIN wellkept.passages AS p ON p.tenant = %(tenant)s AND p.id = ANY (%(ids)s::text[]) AND p.owner + 0 = o.number
WHERE o.tenant = %(tenant)s AND o.agent = %(agent)s AND o.user_id = %(user_id)s

-- name: last_number
SELECT coalesce(max(p.number), 0) FROM wellkept.passage_owners AS o
JOIN wellkept.passages AS p
    ON p.tenant = %(tenant)s AND p.session = %(session)s AND p.kind = 'message' AND p.owner + 0 = o.number
WHERE o.tenant = %(tenant)s AND o.agent = %(agent)s AND o.user_id = %(user_id)s

-- name: newest_first
-- One scan an owner, each in the order of its index. What is NULL takes all.
SELECT
    p.session, p.message, p.part, p.number, p.kind, p.speaker, p.at, p.text, p.metadata, p.sources, o.user_id
FROM wellkept.passage_owners AS o CROSS JOIN LATERAL (
    SELECT * FROM wellkept.passages
    WHERE tenant = %(tenant)s AND owner = o.number AND (at, id) < (%(at)s, %(after)s)
        AND (%(session)s::text IS NULL OR session = %(session)s)
        AND (%(ids)s::text[] IS NULL OR id = ANY (%(ids)s::text[]))
    ORDER BY at DESC, id DESC LIMIT %(limit)s
) AS p
WHERE o.tenant = %(tenant)s AND o.agent = %(agent)s AND (%(user_id)s::text IS NULL OR o.user_id = %(user_id)s)
ORDER BY p.at DESC, p.id DESC LIMIT %(limit)s

-- name: without_vector
SELECT
    p.session, p.message, p.part, p.number, p.kind, p.speaker, p.at, p.text, p.metadata, p.sources,
    o.user_id, o.agent
FROM wellkept.passage_owners AS o CROSS JOIN LATERAL (
    SELECT * FROM wellkept.passages AS one
    WHERE tenant = %(tenant)s AND owner = o.number
        AND id > CASE WHEN (o.agent, o.user_id) = (%(agent)s, %(user_id)s) THEN %(after)s ELSE '' END
        AND NOT EXISTS (
            SELECT FROM wellkept.passage_vectors
            WHERE tenant = %(tenant)s AND owner = one.owner AND passage = one.id AND model = %(model)s OFFSET 0
        )
    ORDER BY id LIMIT %(limit)s
) AS p
WHERE o.tenant = %(tenant)s AND (o.agent, o.user_id) >= (%(agent)s, %(user_id)s)
ORDER BY o.agent, o.user_id, p.id LIMIT %(limit)s

-- name: count
SELECT count(p.id), count(DISTINCT o.user_id), count(DISTINCT (p.owner, p.session)), (
    SELECT json_object_agg(model, vectors) FROM (
        SELECT v.model, count(*) AS vectors FROM wellkept.passage_owners AS o
        JOIN wellkept.passage_vectors AS v ON v.tenant = %(tenant)s AND v.owner = o.number
        WHERE o.tenant = %(tenant)s AND (%(agent)s::text IS NULL OR o.agent = %(agent)s) GROUP BY v.model
    ) AS of_model
)
FROM wellkept.passage_owners AS o
JOIN wellkept.passages AS p ON p.tenant = %(tenant)s AND p.owner = o.number
WHERE o.tenant = %(tenant)s AND (%(agent)s::text IS NULL OR o.agent = %(agent)s)

-- name: lock_chosen
-- In one order, so that two who do so never wait for each other. What is NULL takes all.
SELECT FROM wellkept.passage_owners AS o
WHERE o.tenant = %(tenant)s AND (%(agent)s::text IS NULL OR o.agent = %(agent)s)
    AND (%(user_id)s::text IS NULL OR o.user_id = %(user_id)s)
    AND (
        %(session)s::text IS NULL AND %(ids)s::text[] IS NULL OR o.number IN (
            SELECT owner FROM wellkept.passages
            WHERE tenant = %(tenant)s AND (%(session)s::text IS NULL OR session = %(session)s)
                AND (%(ids)s::text[] IS NULL OR id = ANY (%(ids)s::text[]))
        )
    )
ORDER BY o.agent, o.user_id FOR UPDATE

-- name: delete_chosen
-- An owner that has no other passages goes with its last.
WITH gone AS (
    DELETE FROM wellkept.passages AS p USING wellkept.passage_owners AS o
    WHERE o.tenant = %(tenant)s AND (%(agent)s::text IS NULL OR o.agent = %(agent)s)
        AND (%(user_id)s::text IS NULL OR o.user_id = %(user_id)s)
        AND p.tenant = %(tenant)s AND p.owner = o.number
        AND (%(session)s::text IS NULL OR p.session = %(session)s)
        AND (%(ids)s::text[] IS NULL OR p.id = ANY (%(ids)s::text[]))
    RETURNING o.agent, o.user_id, p.owner, p.id
), bereft AS (
    SELECT agent, user_id, nextval('wellkept.passage_revisions') AS revision, EXISTS (
        SELECT FROM wellkept.passages AS p
        WHERE p.tenant = %(tenant)s AND p.owner = one.owner AND NOT (
            (%(session)s::text IS NULL OR p.session = %(session)s)
            AND (%(ids)s::text[] IS NULL OR p.id = ANY (%(ids)s::text[]))
        )
    ) AS has_others
    FROM (SELECT DISTINCT agent, user_id, owner FROM gone) AS one
), vectors AS (
    DELETE FROM wellkept.passage_vectors AS v USING gone
    WHERE v.tenant = %(tenant)s AND v.owner = gone.owner AND v.passage = gone.id
), changed AS (
    UPDATE wellkept.passage_owners AS o SET revision = bereft.revision, removals = bereft.revision FROM bereft
    WHERE o.tenant = %(tenant)s AND o.agent = bereft.agent AND o.user_id = bereft.user_id AND bereft.has_others
), emptied AS (
    DELETE FROM wellkept.passage_owners AS o USING bereft
    WHERE o.tenant = %(tenant)s AND o.agent = bereft.agent AND o.user_id = bereft.user_id AND NOT bereft.has_others
)
SELECT count(*) FROM gone
