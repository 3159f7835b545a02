-- Every table begins with its tenant, and every statement names it. Times are whole microseconds since 1970, UTC: no
-- session's time zone changes what is read. Texts that are compared are compared byte by byte (COLLATE "C").
--
-- "/* BY TENANT */" becomes "PARTITION BY HASH (tenant)" when the schema is made with partitions.

CREATE TABLE wellkept.tenants (
    tenant text COLLATE "C" NOT NULL PRIMARY KEY,
    name text NOT NULL,
    created_at bigint NOT NULL
);

-- A hash is of a random secret: unique by itself, which a partitioned table could not promise over all tenants.
CREATE TABLE wellkept.api_keys (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    name text COLLATE "C" NOT NULL,
    hash text COLLATE "C" NOT NULL,
    hint text NOT NULL,
    user_id text NOT NULL,
    created_at bigint NOT NULL,
    revoked_at bigint,
    PRIMARY KEY (tenant, id)
) /* BY TENANT */;

CREATE UNIQUE INDEX api_keys_by_name ON wellkept.api_keys (tenant, name) WHERE revoked_at IS NULL;
CREATE INDEX api_keys_by_hash ON wellkept.api_keys (hash);

CREATE TABLE wellkept.agents (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    version integer NOT NULL,
    status text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (tenant, id)
) /* BY TENANT */;

CREATE INDEX agents_newest_first ON wellkept.agents (tenant, created_at DESC, id DESC);
CREATE INDEX agents_of_user ON wellkept.agents (tenant, user_id, created_at DESC, id DESC);

CREATE TABLE wellkept.agent_versions (
    tenant text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    number integer NOT NULL,
    config text NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant, agent, number),
    FOREIGN KEY (tenant, agent) REFERENCES wellkept.agents (tenant, id) ON DELETE CASCADE
) /* BY TENANT */;

-- One row for each address that ever had a block: what an edit locks, whether there is a block or not, and the number
-- of its last revision.
CREATE TABLE wellkept.block_heads (
    tenant text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    last_revision bigint NOT NULL,
    PRIMARY KEY (tenant, scope, owner, key)
) /* BY TENANT */;

CREATE TABLE wellkept.blocks (
    tenant text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    updated_at bigint NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (tenant, scope, owner, key)
) /* BY TENANT */;

-- What a block said, change by change. It outlives the block; `text` NULL is a deletion.
CREATE TABLE wellkept.block_revisions (
    tenant text COLLATE "C" NOT NULL,
    scope text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    actor text NOT NULL,
    at bigint NOT NULL,
    session text,
    etag_before text,
    etag_after text,
    text text,
    PRIMARY KEY (tenant, scope, owner, key, number)
) /* BY TENANT */;

-- One row a pool: what those who change it lock, and how many memories it has.
CREATE TABLE wellkept.pools (
    tenant text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    memories integer NOT NULL,
    PRIMARY KEY (tenant, agent)
) /* BY TENANT */;

-- `web_vector` and `rank_tokens` are made of `text` by wellkept when it is written: releases of PostgreSQL read words
-- differently, and a store must not. No GIN index: the rows of one pool are few, and found by their place.
CREATE TABLE wellkept.memories (
    tenant text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    user_id text COLLATE "C" NOT NULL,
    pinned boolean NOT NULL,
    origin text NOT NULL,
    status text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    last_accessed_at bigint NOT NULL,
    text text COLLATE "C" NOT NULL,
    web_vector tsvector NOT NULL,
    rank_tokens text NOT NULL,
    PRIMARY KEY (tenant, agent, id)
) /* BY TENANT */;

CREATE INDEX memories_newest_first ON wellkept.memories (tenant, agent, created_at DESC, id DESC);
CREATE INDEX memories_of_user ON wellkept.memories (tenant, agent, user_id, created_at DESC, id DESC);
CREATE INDEX memories_least_used_first ON wellkept.memories (tenant, agent, pinned, last_accessed_at, created_at, id);

CREATE TABLE wellkept.sessions (
    tenant text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    user_id text COLLATE "C",
    version integer,
    length integer NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    PRIMARY KEY (tenant, agent, session)
) /* BY TENANT */;

CREATE INDEX sessions_newest_first ON wellkept.sessions (tenant, agent, created_at DESC, session DESC);
-- Without the session: three long ids would not fit into an index's row.
CREATE INDEX sessions_of_user ON wellkept.sessions (tenant, agent, user_id, created_at DESC);

-- Who may run a turn of a session, and how long. It may be claimed before its first turn has made it.
CREATE TABLE wellkept.session_claims (
    tenant text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    holder text COLLATE "C" NOT NULL,
    until bigint NOT NULL,
    PRIMARY KEY (tenant, agent, session)
) /* BY TENANT */;

CREATE TABLE wellkept.messages (
    tenant text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    session text COLLATE "C" NOT NULL,
    number integer NOT NULL,
    role text NOT NULL,
    at bigint NOT NULL,
    text text NOT NULL,
    payload text NOT NULL,
    PRIMARY KEY (tenant, agent, session, number),
    FOREIGN KEY (tenant, agent, session) REFERENCES wellkept.sessions (tenant, agent, session) ON DELETE CASCADE
) /* BY TENANT */;

CREATE TABLE wellkept.held_writes (
    tenant text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    body text NOT NULL,
    claimed_by text COLLATE "C",
    claimed_until bigint,
    PRIMARY KEY (tenant, id)
) /* BY TENANT */;

CREATE INDEX held_writes_newest_first ON wellkept.held_writes (tenant, created_at DESC, id DESC);
CREATE INDEX held_writes_of_agent ON wellkept.held_writes (tenant, agent);

-- What was done under which idempotency key: ids and fingerprints, no text. `agent` '' is the directory itself.
CREATE TABLE wellkept.done_once (
    tenant text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    operation text COLLATE "C" NOT NULL,
    key text COLLATE "C" NOT NULL,
    fingerprint text COLLATE "C" NOT NULL,
    resource text COLLATE "C" NOT NULL,
    created_at bigint NOT NULL,
    PRIMARY KEY (tenant, agent, operation, key)
) /* BY TENANT */;

CREATE INDEX done_once_oldest_first ON wellkept.done_once (tenant, created_at);

-- Makes a table's partitions, if the schema has some, and builds the wall around its tenants: every later migration
-- that makes a table calls it. Those who wait for VACUUM are small tables that change much: it comes early.
--
-- The wall: a transaction sees the rows of the tenant that it names in `wellkept.tenant`, and no others, whatever its
-- WHERE says; and none at all while it names none. The second policy opens the tables to the functions below that
-- look across tenants, and to nobody else: it is for the schema's owner, with whose rights they run. (The role that
-- statements have gains nothing by setting `wellkept.across`; an owner who does could as well have dropped the policy.)
CREATE PROCEDURE wellkept.lay_out(name text, room integer) LANGUAGE plpgsql AS $$
DECLARE
    parts integer := (SELECT partitions FROM wellkept.layout);
    leaf text;
BEGIN
    FOR part IN 0 .. parts - 1 LOOP
        EXECUTE format('CREATE TABLE wellkept.%I PARTITION OF wellkept.%I FOR VALUES WITH (MODULUS %s, REMAINDER %s)',
            name || '_' || part, name, parts, part);
    END LOOP;
    FOR leaf IN
        SELECT name WHERE parts = 0 OR name = 'tenants'
        UNION ALL SELECT name || '_' || part FROM generate_series(0, parts - 1) AS part WHERE name <> 'tenants'
    LOOP
        EXECUTE format('ALTER TABLE wellkept.%I SET (fillfactor = %s, autovacuum_vacuum_scale_factor = 0.02, '
            'autovacuum_vacuum_insert_scale_factor = 0.1, autovacuum_analyze_scale_factor = 0.05)', leaf, room);
    END LOOP;
    EXECUTE format('ALTER TABLE wellkept.%I ENABLE ROW LEVEL SECURITY', name);
    EXECUTE format('ALTER TABLE wellkept.%I FORCE ROW LEVEL SECURITY', name);
    EXECUTE format('CREATE POLICY of_its_tenant ON wellkept.%I USING (tenant = current_setting(''wellkept.tenant'', true))'
        ' WITH CHECK (tenant = current_setting(''wellkept.tenant'', true))', name);
    EXECUTE format('CREATE POLICY across_tenants ON wellkept.%I FOR SELECT TO CURRENT_USER '
        'USING (current_setting(''wellkept.across'', true) = ''on'')', name);
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON wellkept.%I TO %I', name,
        current_setting('wellkept.app_role'));
END $$;

CALL wellkept.lay_out('api_keys', 100);
CALL wellkept.lay_out('agents', 90);
CALL wellkept.lay_out('agent_versions', 100);
CALL wellkept.lay_out('block_heads', 70);
CALL wellkept.lay_out('blocks', 70);
CALL wellkept.lay_out('block_revisions', 100);
CALL wellkept.lay_out('pools', 50);
CALL wellkept.lay_out('memories', 90);
CALL wellkept.lay_out('sessions', 80);
CALL wellkept.lay_out('session_claims', 70);
CALL wellkept.lay_out('messages', 100);
CALL wellkept.lay_out('held_writes', 90);
CALL wellkept.lay_out('done_once', 100);

-- The tenants themselves lie in one table: they are few, and looked up together.
ALTER TABLE wellkept.tenants ENABLE ROW LEVEL SECURITY;
ALTER TABLE wellkept.tenants FORCE ROW LEVEL SECURITY;
CREATE POLICY of_its_tenant ON wellkept.tenants USING (tenant = current_setting('wellkept.tenant', true))
    WITH CHECK (tenant = current_setting('wellkept.tenant', true));
CREATE POLICY across_tenants ON wellkept.tenants FOR SELECT TO CURRENT_USER
    USING (current_setting('wellkept.across', true) = 'on');

-- ---------------------------------------------------------------- creating a memory

-- One call, one round trip. First the pool's row is locked, in a statement of its own: what the next ones see is newer
-- than whatever the lock was waited for. (One statement with a CTE would look from before its wait, and break the cap.)
--
-- Everyone who changes more than one row of a pool locks it so; hence no two of them can wait for each other. Times
-- come from the caller's clock, as on every store: which of two waiting creates is newer is a matter of their clocks,
-- which victim leaves is decided behind the lock, by what stands there then.
--
-- `p_victims` names who leaves, if the caller has decided it (reserves); else it is the least recently used. Where
-- `answered_with` is given, nothing changed, and the rest is that row; without an id the row is gone by now.
CREATE FUNCTION wellkept.create_memory(
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
            SELECT created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status
                INTO o_created_at, o_id, o_user_id, o_text, o_updated_at, o_last_accessed_at, o_pinned, o_origin, o_status
                FROM wellkept.memories WHERE tenant = p_tenant AND agent = p_agent AND id = known.resource;
            RETURN;
        END IF;
    END IF;

    IF cardinality(p_unless_in) > 0 THEN
        -- The row's own partition first, then in the order given.
        SELECT created_at, id, user_id, text, updated_at, last_accessed_at, pinned, origin, status
            INTO o_created_at, o_id, o_user_id, o_text, o_updated_at, o_last_accessed_at, o_pinned, o_origin, o_status
            FROM wellkept.memories
            WHERE tenant = p_tenant AND agent = p_agent AND user_id = ANY (p_unless_in) AND text = p_text
            ORDER BY user_id <> p_user_id, array_position(p_unless_in, user_id), created_at DESC, id DESC LIMIT 1;
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
            SELECT id FROM wellkept.memories WHERE tenant = p_tenant AND agent = p_agent
            ORDER BY pinned, last_accessed_at, created_at, id LIMIT had + 1 - p_cap
        );
    END IF;
    IF cardinality(p_victims) > 0 THEN
        DELETE FROM wellkept.memories WHERE tenant = p_tenant AND agent = p_agent AND id = ANY (p_victims);
        evicted := p_victims;
    END IF;
    IF p_id = ANY (evicted) THEN
        RAISE EXCEPTION USING ERRCODE = 'unique_violation', MESSAGE = 'the pool has a row of this id';
    END IF;

    INSERT INTO wellkept.memories (
        tenant, agent, id, user_id, pinned, origin, status, created_at, updated_at, last_accessed_at,
        text, web_vector, rank_tokens
    ) VALUES (
        p_tenant, p_agent, p_id, p_user_id, p_pinned, p_origin, p_status, p_created_at, p_updated_at,
        p_last_accessed_at, p_text, p_web_vector::tsvector, p_rank_tokens
    );
    IF cardinality(evicted) <> 1 THEN
        UPDATE wellkept.pools SET memories = had + 1 - cardinality(evicted)
            WHERE tenant = p_tenant AND agent = p_agent;
    END IF;
END $$;

-- Locks the pool until the transaction ends; says how many memories it has.
CREATE FUNCTION wellkept.lock_pool(p_tenant text, p_agent text) RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
    had integer;
BEGIN
    LOOP
        SELECT memories INTO had FROM wellkept.pools WHERE tenant = p_tenant AND agent = p_agent FOR UPDATE;
        IF FOUND THEN
            RETURN had;
        END IF;
        -- The first of several makes the row, and the others find it; or find it gone again, and begin anew.
        INSERT INTO wellkept.pools (tenant, agent, memories) VALUES (p_tenant, p_agent, 0)
            ON CONFLICT (tenant, agent) DO NOTHING;
    END LOOP;
END $$;

-- Notes uses; the later instant stays, and a row that has it already is not written.
CREATE FUNCTION wellkept.touch(p_tenant text, p_agent text, p_ids text[], p_at bigint[]) RETURNS void
LANGUAGE sql AS $$
    UPDATE wellkept.memories AS m SET last_accessed_at = used.at
    FROM (SELECT unnest(p_ids) COLLATE "C" AS id, unnest(p_at) AS at ORDER BY 1) AS used
    WHERE m.tenant = p_tenant AND m.agent = p_agent AND m.id = used.id AND m.last_accessed_at < used.at
$$;

-- ---------------------------------------------------------------- across tenants

-- What a server asks before it knows the tenant, and what its operator counts. They run with the owner's rights, behind
-- a fixed search path, open the wall for one statement, and answer no more than is asked.

CREATE FUNCTION wellkept.find_key(p_hash text) RETURNS SETOF wellkept.api_keys
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('wellkept.across', 'on', true);
    RETURN QUERY SELECT * FROM wellkept.api_keys WHERE hash = p_hash AND revoked_at IS NULL;
    PERFORM set_config('wellkept.across', 'off', true);
END $$;

CREATE FUNCTION wellkept.all_tenants() RETURNS SETOF wellkept.tenants
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM set_config('wellkept.across', 'on', true);
    RETURN QUERY SELECT * FROM wellkept.tenants ORDER BY created_at, tenant;
    PERFORM set_config('wellkept.across', 'off', true);
END $$;

-- Of several who make the first tenant at once, one does.
CREATE FUNCTION wellkept.first_tenant(p_tenant text, p_name text, p_created_at bigint) RETURNS SETOF wellkept.tenants
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(2003529844, 1);
    PERFORM set_config('wellkept.across', 'on', true);
    IF NOT EXISTS (SELECT FROM wellkept.tenants) THEN
        INSERT INTO wellkept.tenants (tenant, name, created_at) VALUES (p_tenant, p_name, p_created_at);
    END IF;
    RETURN QUERY SELECT * FROM wellkept.tenants ORDER BY created_at, tenant LIMIT 1;
    PERFORM set_config('wellkept.across', 'off', true);
END $$;

CREATE FUNCTION wellkept.holdings()
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
        UNION ALL SELECT tenant, 0, 0, count(*), 0, 0 FROM wellkept.memories GROUP BY tenant
        UNION ALL SELECT tenant, 0, 0, 0, count(*), 0 FROM wellkept.sessions GROUP BY tenant
        UNION ALL SELECT tenant, 0, 0, 0, 0, count(*) FROM wellkept.held_writes GROUP BY tenant
    ) AS t GROUP BY t.tenant ORDER BY t.tenant;
    PERFORM set_config('wellkept.across', 'off', true);
END $$;

-- How many pools are counted wrongly.
CREATE FUNCTION wellkept.miscounted_pools() RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found bigint;
BEGIN
    PERFORM set_config('wellkept.across', 'on', true);
    SELECT count(*) INTO found FROM wellkept.pools AS p
        FULL JOIN (SELECT tenant, agent, count(*) AS rows FROM wellkept.memories GROUP BY tenant, agent) AS m
            ON m.tenant = p.tenant AND m.agent = p.agent
        WHERE coalesce(p.memories, 0) <> coalesce(m.rows, 0);
    PERFORM set_config('wellkept.across', 'off', true);
    RETURN found;
END $$;
