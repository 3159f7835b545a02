-- Who did what when to which id. `body` is the whole entry; the columns are what it is looked for by.
CREATE TABLE audit_log (
    tenant TEXT NOT NULL,
    at INTEGER NOT NULL,
    id TEXT NOT NULL,
    action TEXT NOT NULL,
    agent TEXT,
    user_id TEXT,
    body TEXT NOT NULL,
    PRIMARY KEY (tenant, at, id)
) STRICT, WITHOUT ROWID;

CREATE INDEX audit_log_of_agent ON audit_log (tenant, agent, at DESC, id DESC) WHERE agent IS NOT NULL;
CREATE INDEX audit_log_of_user ON audit_log (tenant, user_id, at DESC, id DESC) WHERE user_id IS NOT NULL;
