-- name: note
INSERT INTO audit_log (tenant, at, id, action, agent, user_id, body) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, at, id) DO NOTHING

-- name: newest_first
SELECT body FROM audit_log
WHERE tenant = ?1 AND (at, id) < (?2, ?3) AND at >= ?4 AND (?5 IS NULL OR action = ?5)
ORDER BY at DESC, id DESC LIMIT ?6

-- name: of_agent
SELECT body FROM audit_log
WHERE tenant = ?1 AND agent = ?7 AND (at, id) < (?2, ?3) AND at >= ?4 AND (?5 IS NULL OR action = ?5)
ORDER BY at DESC, id DESC LIMIT ?6

-- name: of_user
SELECT body FROM audit_log
WHERE tenant = ?1 AND user_id = ?8 AND (?7 IS NULL OR agent = ?7)
    AND (at, id) < (?2, ?3) AND at >= ?4 AND (?5 IS NULL OR action = ?5)
ORDER BY at DESC, id DESC LIMIT ?6
