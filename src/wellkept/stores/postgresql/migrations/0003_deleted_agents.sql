-- Which agents were deleted, and nothing of what they had: what was under way for them meanwhile must not come after.
CREATE TABLE wellkept.deleted_agents (
    tenant text COLLATE "C" NOT NULL,
    agent text COLLATE "C" NOT NULL,
    PRIMARY KEY (tenant, agent)
) /* BY TENANT */;

CALL wellkept.lay_out('deleted_agents', 100);

-- Those who write for an agent stand here side by side; who adds or deletes it waits for them, and they for that one.
-- What is looked up behind the lock is newer than whatever the lock was waited for.
CREATE FUNCTION wellkept.write_for_agent(p_tenant text, p_agent text) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock_shared(hashtextextended('agents ' || p_tenant || ' ' || p_agent, 0));
    IF EXISTS (SELECT FROM wellkept.deleted_agents WHERE tenant = p_tenant AND agent = p_agent) THEN
        RAISE EXCEPTION USING ERRCODE = 'WK002', MESSAGE = 'the agent was deleted';
    END IF;
END $$;
