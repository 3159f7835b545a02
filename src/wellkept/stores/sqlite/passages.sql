-- name: next_revision
INSERT INTO passage_revisions (tenant, last) VALUES (?, 1)
ON CONFLICT (tenant) DO UPDATE SET last = last + 1 RETURNING last

-- name: stamp
SELECT revision, removals FROM passage_owners WHERE tenant = ? AND agent = ? AND user_id = ?

-- name: put_stamp
-- With the first passages of an owner whatever somebody knew before is gone.
INSERT INTO passage_owners (tenant, agent, user_id, revision, removals) VALUES (?1, ?2, ?3, ?4, ?4)
ON CONFLICT (tenant, agent, user_id) DO UPDATE SET
    revision = ?4, removals = CASE WHEN ?5 THEN ?4 ELSE removals END

-- name: has_any
SELECT 1 FROM passages WHERE tenant = ? AND agent = ? AND user_id = ? LIMIT 1

-- name: delete_stamp
DELETE FROM passage_owners WHERE tenant = ? AND agent = ? AND user_id = ?

-- name: users_of_agent
SELECT user_id FROM passage_owners WHERE tenant = ? AND agent = ?

-- name: users_of_session
SELECT DISTINCT user_id FROM passages INDEXED BY passages_of_session WHERE tenant = ? AND agent = ? AND session = ?

-- name: user_of
SELECT user_id FROM passages INDEXED BY passages_named WHERE tenant = ? AND id = ? AND agent = ?

-- name: agents_of_user
SELECT agent FROM passage_owners INDEXED BY passage_owners_of_user WHERE tenant = ? AND user_id = ?

-- name: of_message
SELECT session, kind, message, part, number, speaker, at, text, metadata, sources
FROM passages INDEXED BY passages_of_session
WHERE tenant = ? AND agent = ? AND user_id = ? AND session = ? AND kind = ? AND message = ?

-- name: get
SELECT session, kind, message, part, number, speaker, at, text, metadata, sources
FROM passages WHERE tenant = ? AND agent = ? AND user_id = ? AND id = ?

-- name: named
SELECT session, kind, message, part, number, speaker, at, text, metadata, sources, user_id
FROM passages INDEXED BY passages_named WHERE tenant = ? AND id = ? AND agent = ?

-- name: insert
INSERT INTO passages (
    tenant, agent, user_id, id, revision, session, kind, message, part, number, speaker, at, text, metadata, sources,
    entry
) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)

-- name: put_vector
INSERT INTO passage_vectors (tenant, agent, user_id, passage, model, data) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, agent, user_id, passage, model) DO UPDATE SET data = excluded.data

-- name: change
UPDATE passages SET revision = ? WHERE tenant = ? AND agent = ? AND user_id = ? AND id = ?

-- name: changed_since
SELECT
    p.session, p.kind, p.message, p.part, p.number, p.speaker, p.at, p.text, p.metadata, p.sources,
    p.revision, p.entry, v.data
FROM passages AS p INDEXED BY passages_changed LEFT JOIN passage_vectors AS v
    ON v.tenant = p.tenant AND v.agent = p.agent AND v.user_id = p.user_id AND v.passage = p.id AND v.model = ?
WHERE p.tenant = ? AND p.agent = ? AND p.user_id = ? AND (p.revision, p.id) > (?, ?)
ORDER BY p.revision, p.id LIMIT ?

-- name: ids
SELECT id FROM passages WHERE tenant = ? AND agent = ? AND user_id = ?

-- name: last_number
SELECT coalesce(max(number), 0) FROM passages INDEXED BY passages_of_session
WHERE tenant = ? AND agent = ? AND user_id = ? AND session = ? AND kind = 'message'

-- name: agent_newest_first
SELECT session, kind, message, part, number, speaker, at, text, metadata, sources, user_id
FROM passages INDEXED BY passages_newest_first
WHERE tenant = ? AND agent = ? AND (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?

-- name: user_newest_first
SELECT session, kind, message, part, number, speaker, at, text, metadata, sources, user_id
FROM passages INDEXED BY passages_of_user
WHERE tenant = ? AND agent = ? AND user_id = ? AND (at, id) < (?, ?) ORDER BY at DESC, id DESC LIMIT ?

-- name: session_newest_first
SELECT session, kind, message, part, number, speaker, at, text, metadata, sources, user_id
FROM passages INDEXED BY passages_of_session
WHERE tenant = ?1 AND agent = ?2 AND session = ?3 AND (?4 IS NULL OR user_id = ?4) AND (at, id) < (?5, ?6)
ORDER BY at DESC, id DESC LIMIT ?7

-- name: delete
-- Its vectors go with it, by their foreign key.
DELETE FROM passages
WHERE tenant = ?1 AND agent = ?2 AND user_id = ?3 AND id = ?4 AND (?5 IS NULL OR session = ?5)

-- name: delete_of_session
DELETE FROM passages WHERE tenant = ? AND agent = ? AND user_id = ? AND session = ?

-- name: delete_of_owner
DELETE FROM passages WHERE tenant = ? AND agent = ? AND user_id = ?

-- name: count
SELECT coalesce(sum(passages), 0), count(DISTINCT user_id), count(*) FROM (
    SELECT user_id, count(*) AS passages FROM passages INDEXED BY passages_of_session
    WHERE tenant = ?1 AND (?2 IS NULL OR agent = ?2) GROUP BY agent, session, user_id
)

-- name: count_vectors
SELECT model, count(*) FROM passage_vectors WHERE tenant = ?1 AND (?2 IS NULL OR agent = ?2) GROUP BY model

-- name: without_vector
SELECT session, kind, message, part, number, speaker, at, text, metadata, sources, user_id, agent
FROM passages AS p
WHERE tenant = ?1 AND (agent, user_id, id) > (?2, ?3, ?4) AND NOT EXISTS (
    SELECT 1 FROM passage_vectors AS v
    WHERE v.tenant = p.tenant AND v.agent = p.agent AND v.user_id = p.user_id AND v.passage = p.id AND v.model = ?5
)
ORDER BY agent, user_id, id LIMIT ?6
