-- What numbers the changes of passages, and those whose they are. Never twice: who knew what was there before a deletion
-- sees that it is not there any more.
CREATE SEQUENCE wellkept.passage_revisions;

DO $$ BEGIN
    EXECUTE format('GRANT USAGE ON SEQUENCE wellkept.passage_revisions TO %I', current_setting('wellkept.app_role'));
END $$;

-- Whose passages there are, and how far they have come: one row for each agent and user that has any. Whoever changes
-- their passages locks it first, so that revisions become visible in their order. `number` is what passages name them by.
CREATE TABLE wellkept.passage_owners (
    tenant text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    revision bigint NOT NULL,
    removals bigint NOT NULL,
    PRIMARY KEY (tenant, agent, user_id)
) /* BY TENANT */;

CREATE INDEX passage_owners_of_user ON wellkept.passage_owners (tenant, user_id);

-- `metadata` and `sources` are JSON, `entry` is what searching makes of the text.
CREATE TABLE wellkept.passages (
    tenant text COLLATE "C" NOT NULL,
    owner bigint NOT NULL,
    revision bigint NOT NULL,
    at bigint NOT NULL,
    part integer NOT NULL,
    number integer NOT NULL,
    id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    message text COLLATE "C" NOT NULL,
    speaker text NOT NULL,
    metadata text NOT NULL,
    sources text NOT NULL,
    text text NOT NULL,
    entry bytea NOT NULL,
    PRIMARY KEY (tenant, id)
) /* BY TENANT */;

CREATE INDEX passages_by_id ON wellkept.passages (tenant, owner, id);
CREATE INDEX passages_by_revision ON wellkept.passages (tenant, owner, revision, id);
CREATE INDEX passages_newest_first ON wellkept.passages (tenant, owner, at DESC, id DESC);
CREATE INDEX passages_of_message ON wellkept.passages (tenant, session, message);

-- They go with their passages, in the same transaction; a foreign key would look up each passage once more.
CREATE TABLE wellkept.passage_vectors (
    tenant text COLLATE "C" NOT NULL,
    owner bigint NOT NULL,
    passage text COLLATE "C" NOT NULL,
    model text COLLATE "C" NOT NULL,
    data bytea NOT NULL,
    PRIMARY KEY (tenant, owner, passage, model)
) /* BY TENANT */;

-- Numbers that look like chance are not tried to be made shorter. (Partitions inherit it: they are made below.)
ALTER TABLE wellkept.passage_vectors ALTER COLUMN data SET STORAGE EXTERNAL;

CALL wellkept.lay_out('passage_owners', 50);
CALL wellkept.lay_out('passages', 90);
CALL wellkept.lay_out('passage_vectors', 90);

-- Locks the owner until the transaction ends, and makes its row if there is none.
CREATE FUNCTION wellkept.lock_passages(p_tenant text, p_agent text, p_user_id text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    LOOP
        PERFORM FROM wellkept.passage_owners
            WHERE tenant = p_tenant AND agent = p_agent AND user_id = p_user_id FOR UPDATE;
        IF FOUND THEN
            RETURN;
        END IF;
        -- The first of several makes the row, and the others find it; or find it gone again, and begin anew.
        INSERT INTO wellkept.passage_owners (tenant, agent, user_id, number, revision, removals)
            VALUES (p_tenant, p_agent, p_user_id, nextval('wellkept.passage_revisions'), 0, 0)
            ON CONFLICT (tenant, agent, user_id) DO NOTHING;
    END LOOP;
END $$;

-- As before, and passages.
DROP FUNCTION wellkept.holdings();

CREATE FUNCTION wellkept.holdings()
RETURNS TABLE (
    tenant text, agents bigint, blocks bigint, memories bigint, sessions bigint, held bigint, passages bigint
)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM set_config('wellkept.across', 'on', true);
    RETURN QUERY
    SELECT t.tenant, sum(t.agents)::bigint, sum(t.blocks)::bigint, sum(t.memories)::bigint, sum(t.sessions)::bigint,
        sum(t.held)::bigint, sum(t.passages)::bigint
    FROM (
        SELECT tenant, count(*) AS agents, 0 AS blocks, 0 AS memories, 0 AS sessions, 0 AS held, 0 AS passages
            FROM wellkept.agents GROUP BY tenant
        UNION ALL SELECT tenant, 0, count(*), 0, 0, 0, 0 FROM wellkept.blocks GROUP BY tenant
        UNION ALL SELECT tenant, 0, 0, count(*), 0, 0, 0 FROM wellkept.memories GROUP BY tenant
        UNION ALL SELECT tenant, 0, 0, 0, count(*), 0, 0 FROM wellkept.sessions GROUP BY tenant
        UNION ALL SELECT tenant, 0, 0, 0, 0, count(*), 0 FROM wellkept.held_writes GROUP BY tenant
        UNION ALL SELECT tenant, 0, 0, 0, 0, 0, count(*) FROM wellkept.passages GROUP BY tenant
    ) AS t GROUP BY t.tenant ORDER BY t.tenant;
    PERFORM set_config('wellkept.across', 'off', true);
END $$;
