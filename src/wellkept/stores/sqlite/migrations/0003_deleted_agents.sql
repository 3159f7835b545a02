-- Which agents were deleted, and nothing of what they had: what was under way for them meanwhile must not come after.
CREATE TABLE deleted_agents (
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    PRIMARY KEY (tenant, agent)
) STRICT, WITHOUT ROWID;
