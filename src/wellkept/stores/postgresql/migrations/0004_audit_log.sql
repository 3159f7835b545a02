-- Who did what when to which id. `body` is the whole entry; the columns are what it is looked for by.
CREATE TABLE wellkept.audit_log (
    tenant text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    id text COLLATE "C" NOT NULL,
    action text COLLATE "C" NOT NULL,
    agent text COLLATE "C",
    user_id text COLLATE "C",
    body text NOT NULL,
    PRIMARY KEY (tenant, at, id)
) /* BY TENANT */;

CREATE INDEX audit_log_of_agent ON wellkept.audit_log (tenant, agent, at DESC, id DESC) WHERE agent IS NOT NULL;
CREATE INDEX audit_log_of_user ON wellkept.audit_log (tenant, user_id, at DESC, id DESC) WHERE user_id IS NOT NULL;

CALL wellkept.lay_out('audit_log', 100);

-- What was noted stays: no statement of ours changes or removes an entry, and none may.
DO $$ BEGIN
    EXECUTE format('REVOKE UPDATE, DELETE ON wellkept.audit_log FROM %I', current_setting('wellkept.app_role'));
END $$;
