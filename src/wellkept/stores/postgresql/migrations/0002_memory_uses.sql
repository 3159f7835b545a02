-- A memory in two rows. What it says (memory_texts) is wide and seldom changes; how it is used (memory_uses) is narrow,
-- and changes whenever it is rendered. Only the narrow one is written then, with two indexes instead of four.
--
-- Whoever changes both rows of a memory begins with its use: so no two wait for each other.
--
-- Servers of schema 1 go on meanwhile, and see a view `memories` that reads and writes as the table did. Nobody passes
-- the lock until all is done; two rows for one take the longer the more there are, some seconds for each million.

LOCK TABLE wellkept.memories IN ACCESS EXCLUSIVE MODE;

CREATE TABLE wellkept.memory_uses (
    tenant text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    last_accessed_at bigint NOT NULL,
    created_at bigint NOT NULL,
    pinned boolean NOT NULL
) /* BY TENANT */;

CALL wellkept.lay_out('memory_uses', 70);

-- Behind the wall this user has no rows to carry over, unless it is let through: in this transaction, and seen by no other.
ALTER TABLE wellkept.memories NO FORCE ROW LEVEL SECURITY;
ALTER TABLE wellkept.memory_uses NO FORCE ROW LEVEL SECURITY;
INSERT INTO wellkept.memory_uses (tenant, agent, id, last_accessed_at, created_at, pinned)
    SELECT tenant, agent, id, last_accessed_at, created_at, pinned FROM wellkept.memories ORDER BY tenant, agent, id;
ALTER TABLE wellkept.memories FORCE ROW LEVEL SECURITY;
ALTER TABLE wellkept.memory_uses FORCE ROW LEVEL SECURITY;

ALTER TABLE wellkept.memory_uses ADD PRIMARY KEY (tenant, agent, id);
CREATE INDEX memory_uses_least_used_first
    ON wellkept.memory_uses (tenant, agent, pinned, last_accessed_at, created_at, id);
ANALYZE wellkept.memory_uses;

ALTER TABLE wellkept.memories DROP COLUMN last_accessed_at, DROP COLUMN pinned;  -- and with them memories_least_used_first
ALTER TABLE wellkept.memories RENAME TO memory_texts;
ALTER INDEX wellkept.memories_pkey RENAME TO memory_texts_pkey;
ALTER INDEX wellkept.memories_newest_first RENAME TO memory_texts_newest_first;
ALTER INDEX wellkept.memories_of_user RENAME TO memory_texts_of_user;
DO $$ BEGIN
    FOR part IN 0 .. (SELECT partitions FROM wellkept.layout) - 1 LOOP
        EXECUTE format('ALTER TABLE wellkept.memories_%s RENAME TO memory_texts_%s', part, part);
    END LOOP;
END $$;

-- ---------------------------------------------------------------- for servers of schema 1

-- A transaction that has looked before this step, and comes here after it, would see texts and no uses: nothing.
-- It is told that it cannot go on, in a way that makes a server of schema 1 begin anew.
CREATE FUNCTION wellkept.sees_uses() RETURNS boolean LANGUAGE plpgsql STABLE AS $$
BEGIN
    IF NOT EXISTS (SELECT FROM wellkept.migrations WHERE number = 2) THEN
        RAISE EXCEPTION USING ERRCODE = 'cannot_connect_now', MESSAGE = 'the schema changed under the transaction';
    END IF;
    RETURN true;
END $$;

CREATE VIEW wellkept.memories WITH (security_invoker = true) AS
    SELECT tenant, agent, id, user_id, pinned, origin, status, t.created_at, updated_at, last_accessed_at,
        text, web_vector, rank_tokens
    FROM wellkept.memory_uses AS u JOIN wellkept.memory_texts AS t USING (tenant, agent, id)
    WHERE wellkept.sees_uses();

-- What was not to be changed is left as it is: it may have changed since the view was read.
CREATE FUNCTION wellkept.write_both_rows() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO wellkept.memory_uses (tenant, agent, id, last_accessed_at, created_at, pinned)
            VALUES (NEW.tenant, NEW.agent, NEW.id, NEW.last_accessed_at, NEW.created_at, NEW.pinned);
        INSERT INTO wellkept.memory_texts (
            tenant, agent, id, user_id, origin, status, created_at, updated_at, text, web_vector, rank_tokens
        ) VALUES (
            NEW.tenant, NEW.agent, NEW.id, NEW.user_id, NEW.origin, NEW.status, NEW.created_at, NEW.updated_at,
            NEW.text, NEW.web_vector, NEW.rank_tokens
        );
        RETURN NEW;
    END IF;
    IF TG_OP = 'DELETE' THEN
        DELETE FROM wellkept.memory_uses WHERE tenant = OLD.tenant AND agent = OLD.agent AND id = OLD.id;
        DELETE FROM wellkept.memory_texts WHERE tenant = OLD.tenant AND agent = OLD.agent AND id = OLD.id;
        RETURN OLD;
    END IF;
    UPDATE wellkept.memory_uses SET
            last_accessed_at = NEW.last_accessed_at,
            pinned = CASE WHEN NEW.pinned = OLD.pinned THEN pinned ELSE NEW.pinned END
        WHERE tenant = OLD.tenant AND agent = OLD.agent AND id = OLD.id;
    IF NEW.text <> OLD.text OR NEW.updated_at <> OLD.updated_at THEN
        UPDATE wellkept.memory_texts SET updated_at = NEW.updated_at, text = NEW.text, web_vector = NEW.web_vector,
                rank_tokens = NEW.rank_tokens
            WHERE tenant = OLD.tenant AND agent = OLD.agent AND id = OLD.id;
    END IF;
    RETURN NEW;
END $$;

CREATE TRIGGER write_both_rows INSTEAD OF INSERT OR UPDATE OR DELETE ON wellkept.memories
    FOR EACH ROW EXECUTE FUNCTION wellkept.write_both_rows();

DO $$ BEGIN
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON wellkept.memories TO %I',
        current_setting('wellkept.app_role'));
END $$;

-- ---------------------------------------------------------------- the functions, over two rows

CREATE OR REPLACE FUNCTION wellkept.create_memory(
    p_tenant text, p_agent text, p_id text, p_user_id text, p_pinned boolean, p_origin text, p_status text,
    p_created_at bigint, p_updated_at bigint, p_last_accessed_at bigint, p_text text, p_web_vector text,
    p_rank_tokens text, p_cap integer, p_victims text[], p_unless_in text[], p_touched text[], p_touched_at bigint[],
    p_operation text, p_key text, p_fingerprint text, p_kept_since bigint,
    OUT answered_with text, OUT evicted text[], OUT o_created_at bigint, OUT o_id text, OUT o_user_id text,
    OUT o_text text, OUT o_updated_at bigint, OUT o_last_accessed_at bigint, OUT o_pinned boolean, OUT o_origin text,
    OUT o_status text
) LANGUAGE plpgsql AS $$
DECLARE
    had integer := wellkept.lock_pool(p_tenant, p_agent);
    known record;
BEGIN
    evicted := '{}';
    IF p_key IS NOT NULL THEN
        SELECT fingerprint, resource INTO known FROM wellkept.done_once
            WHERE tenant = p_tenant AND agent = p_agent AND operation = p_operation AND key = p_key
            AND created_at > p_kept_since;
        IF FOUND THEN
            IF known.fingerprint <> p_fingerprint THEN
                RAISE EXCEPTION USING ERRCODE = 'WK001', MESSAGE = 'the key came with another request';
            END IF;
            answered_with := known.resource;
            SELECT t.created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status
                INTO o_created_at, o_id, o_user_id, o_text, o_updated_at, o_last_accessed_at, o_pinned, o_origin, o_status
                FROM wellkept.memory_texts AS t JOIN wellkept.memory_uses AS u USING (tenant, agent, id)
                WHERE tenant = p_tenant AND agent = p_agent AND id = known.resource;
            RETURN;
        END IF;
    END IF;

    IF cardinality(p_unless_in) > 0 THEN
        -- The row's own partition first, then in the order given.
        SELECT t.created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status
            INTO o_created_at, o_id, o_user_id, o_text, o_updated_at, o_last_accessed_at, o_pinned, o_origin, o_status
            FROM wellkept.memory_texts AS t JOIN wellkept.memory_uses AS u USING (tenant, agent, id)
            WHERE tenant = p_tenant AND agent = p_agent AND user_id = ANY (p_unless_in) AND text = p_text
            ORDER BY user_id <> p_user_id, array_position(p_unless_in, user_id), t.created_at DESC, id DESC LIMIT 1;
        answered_with := o_id;
    END IF;

    IF p_key IS NOT NULL THEN
        INSERT INTO wellkept.done_once (tenant, agent, operation, key, fingerprint, resource, created_at)
            VALUES (p_tenant, p_agent, p_operation, p_key, p_fingerprint, coalesce(answered_with, p_id), p_created_at)
            ON CONFLICT (tenant, agent, operation, key) DO UPDATE SET
                fingerprint = excluded.fingerprint, resource = excluded.resource, created_at = excluded.created_at;
    END IF;
    IF answered_with IS NOT NULL THEN
        RETURN;
    END IF;

    IF cardinality(p_touched) > 0 THEN
        PERFORM wellkept.touch(p_tenant, p_agent, p_touched, p_touched_at);
    END IF;
    IF p_victims IS NULL AND had >= p_cap THEN
        p_victims := ARRAY(
            SELECT id FROM wellkept.memory_uses WHERE tenant = p_tenant AND agent = p_agent
            ORDER BY pinned, last_accessed_at, created_at, id LIMIT had + 1 - p_cap
        );
    END IF;
    IF cardinality(p_victims) > 0 THEN
        DELETE FROM wellkept.memory_uses WHERE tenant = p_tenant AND agent = p_agent AND id = ANY (p_victims);
        DELETE FROM wellkept.memory_texts WHERE tenant = p_tenant AND agent = p_agent AND id = ANY (p_victims);
        evicted := p_victims;
    END IF;
    IF p_id = ANY (evicted) THEN
        RAISE EXCEPTION USING ERRCODE = 'unique_violation', MESSAGE = 'the pool has a row of this id';
    END IF;

    INSERT INTO wellkept.memory_uses (tenant, agent, id, last_accessed_at, created_at, pinned)
        VALUES (p_tenant, p_agent, p_id, p_last_accessed_at, p_created_at, p_pinned);
    INSERT INTO wellkept.memory_texts (
        tenant, agent, id, user_id, origin, status, created_at, updated_at, text, web_vector, rank_tokens
    ) VALUES (
        p_tenant, p_agent, p_id, p_user_id, p_origin, p_status, p_created_at, p_updated_at, p_text,
        p_web_vector::tsvector, p_rank_tokens
    );
    IF cardinality(evicted) <> 1 THEN
        UPDATE wellkept.pools SET memories = had + 1 - cardinality(evicted)
            WHERE tenant = p_tenant AND agent = p_agent;
    END IF;
END $$;

-- Notes uses; the later instant stays, and a use that has it already is not written.
CREATE OR REPLACE FUNCTION wellkept.touch(p_tenant text, p_agent text, p_ids text[], p_at bigint[]) RETURNS void
LANGUAGE sql AS $$
    UPDATE wellkept.memory_uses AS u SET last_accessed_at = used.at
    FROM (SELECT unnest(p_ids) COLLATE "C" AS id, unnest(p_at) AS at ORDER BY 1) AS used
    WHERE u.tenant = p_tenant AND u.agent = p_agent AND u.id = used.id AND u.last_accessed_at < used.at
$$;

CREATE OR REPLACE FUNCTION wellkept.holdings()
RETURNS TABLE (tenant text, agents bigint, blocks bigint, memories bigint, sessions bigint, held bigint)
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM set_config('wellkept.across', 'on', true);
    RETURN QUERY
    SELECT t.tenant, sum(t.agents)::bigint, sum(t.blocks)::bigint, sum(t.memories)::bigint, sum(t.sessions)::bigint,
        sum(t.held)::bigint
    FROM (
        SELECT tenant, count(*) AS agents, 0 AS blocks, 0 AS memories, 0 AS sessions, 0 AS held
            FROM wellkept.agents GROUP BY tenant
        UNION ALL SELECT tenant, 0, count(*), 0, 0, 0 FROM wellkept.blocks GROUP BY tenant
        UNION ALL SELECT tenant, 0, 0, count(*), 0, 0 FROM wellkept.memory_texts GROUP BY tenant
        UNION ALL SELECT tenant, 0, 0, 0, count(*), 0 FROM wellkept.sessions GROUP BY tenant
        UNION ALL SELECT tenant, 0, 0, 0, 0, count(*) FROM wellkept.held_writes GROUP BY tenant
    ) AS t GROUP BY t.tenant ORDER BY t.tenant;
    PERFORM set_config('wellkept.across', 'off', true);
END $$;

-- How many pools have not as many memories as they count, or memories without a use, or uses without a memory.
CREATE OR REPLACE FUNCTION wellkept.miscounted_pools() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found bigint;
BEGIN
    PERFORM set_config('wellkept.across', 'on', true);
    SELECT count(*) INTO found FROM (SELECT tenant, agent, memories AS rows FROM wellkept.pools) AS p
        FULL JOIN (
            SELECT tenant, agent, count(*) AS rows,
                count(*) FILTER (WHERE user_id IS NOT NULL AND pinned IS NOT NULL) AS whole
            FROM wellkept.memory_texts AS t FULL JOIN wellkept.memory_uses AS u USING (tenant, agent, id)
            GROUP BY tenant, agent
        ) AS m USING (tenant, agent)
        WHERE coalesce(p.rows, 0) <> coalesce(m.rows, 0) OR m.rows <> m.whole;
    PERFORM set_config('wellkept.across', 'off', true);
    RETURN found;
END $$;
