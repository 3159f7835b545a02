-- name: note
INSERT INTO wellkept.audit_log (tenant, at, id, action, agent, user_id, body)
SELECT %(tenant)s, at, id, action, agent, user_id, body
FROM unnest(%(ats)s::bigint[], %(ids)s::text[], %(actions)s::text[], %(agents)s::text[], %(users)s::text[],
    %(bodies)s::text[]) AS new (at, id, action, agent, user_id, body)
ON CONFLICT (tenant, at, id) DO NOTHING

-- name: newest_first
SELECT body FROM wellkept.audit_log
WHERE tenant = %(tenant)s AND (at, id) < (%(before)s, %(after)s) AND at >= %(since_at)s
    AND (%(action)s::text IS NULL OR action = %(action)s)
ORDER BY at DESC, id DESC LIMIT %(limit)s

-- name: of_agent
SELECT body FROM wellkept.audit_log
WHERE tenant = %(tenant)s AND agent = %(agent)s AND (at, id) < (%(before)s, %(after)s) AND at >= %(since_at)s
    AND (%(action)s::text IS NULL OR action = %(action)s)
ORDER BY at DESC, id DESC LIMIT %(limit)s

-- name: of_user
SELECT body FROM wellkept.audit_log
WHERE tenant = %(tenant)s AND user_id = %(user_id)s AND (%(agent)s::text IS NULL OR agent = %(agent)s)
    AND (at, id) < (%(before)s, %(after)s) AND at >= %(since_at)s
    AND (%(action)s::text IS NULL OR action = %(action)s)
ORDER BY at DESC, id DESC LIMIT %(limit)s
