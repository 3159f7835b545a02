-- Every table begins with its tenant, and every statement names it. Times are whole microseconds since 1970, UTC.

CREATE TABLE tenants (
    tenant TEXT NOT NULL PRIMARY KEY,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    name TEXT NOT NULL,
    hash TEXT NOT NULL UNIQUE,
    hint TEXT NOT NULL,
    user_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER,
    PRIMARY KEY (tenant, id)
) STRICT;

CREATE UNIQUE INDEX api_keys_by_name ON api_keys (tenant, name) WHERE revoked_at IS NULL;

CREATE TABLE agents (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    version INTEGER NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;

CREATE INDEX agents_newest_first ON agents (tenant, created_at DESC, id DESC);
CREATE INDEX agents_of_user ON agents (tenant, user_id, created_at DESC, id DESC);

CREATE TABLE agent_versions (
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    number INTEGER NOT NULL,
    config TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, agent, number),
    FOREIGN KEY (tenant, agent) REFERENCES agents (tenant, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE blocks (
    tenant TEXT NOT NULL,
    scope TEXT NOT NULL,
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    updated_at INTEGER NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (tenant, scope, owner, key)
) STRICT;

-- What a block said, change by change. It outlives the block; `text` NULL is a deletion.
CREATE TABLE block_revisions (
    tenant TEXT NOT NULL,
    scope TEXT NOT NULL,
    owner TEXT NOT NULL,
    key TEXT NOT NULL,
    number INTEGER NOT NULL,
    actor TEXT NOT NULL,
    at INTEGER NOT NULL,
    session TEXT,
    etag_before TEXT,
    etag_after TEXT,
    text TEXT,
    PRIMARY KEY (tenant, scope, owner, key, number)
) STRICT;

-- `web_vector` and `rank_tokens` are made of `text` when it is written, so that a search need not read words again.
CREATE TABLE memories (
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    id TEXT NOT NULL,
    user_id TEXT NOT NULL,
    pinned INTEGER NOT NULL,
    origin TEXT NOT NULL,
    status TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    last_accessed_at INTEGER NOT NULL,
    text TEXT NOT NULL,
    web_vector TEXT NOT NULL,
    rank_tokens TEXT NOT NULL,
    PRIMARY KEY (tenant, agent, id)
) STRICT;

CREATE INDEX memories_newest_first ON memories (tenant, agent, created_at DESC, id DESC);
CREATE INDEX memories_of_user ON memories (tenant, agent, user_id, created_at DESC, id DESC);
CREATE INDEX memories_least_used_first ON memories (tenant, agent, pinned, last_accessed_at, created_at, id);

CREATE TABLE sessions (
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    user_id TEXT,
    version INTEGER,
    length INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, agent, session)
) STRICT;

CREATE INDEX sessions_newest_first ON sessions (tenant, agent, created_at DESC, session DESC);
CREATE INDEX sessions_of_user ON sessions (tenant, agent, user_id, created_at DESC, session DESC);

-- Who may run a turn of a session, and how long. It may be claimed before its first turn has made it.
CREATE TABLE session_claims (
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    holder TEXT NOT NULL,
    until INTEGER NOT NULL,
    PRIMARY KEY (tenant, agent, session)
) STRICT, WITHOUT ROWID;

CREATE TABLE messages (
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    session TEXT NOT NULL,
    number INTEGER NOT NULL,
    role TEXT NOT NULL,
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    payload TEXT NOT NULL,
    PRIMARY KEY (tenant, agent, session, number),
    FOREIGN KEY (tenant, agent, session) REFERENCES sessions (tenant, agent, session) ON DELETE CASCADE
) STRICT;

CREATE TABLE held_writes (
    tenant TEXT NOT NULL,
    id TEXT NOT NULL,
    agent TEXT NOT NULL,
    user_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (tenant, id)
) STRICT;

CREATE INDEX held_writes_newest_first ON held_writes (tenant, created_at DESC, id DESC);
CREATE INDEX held_writes_of_agent ON held_writes (tenant, agent);

-- What was done under which idempotency key: ids and fingerprints, no text. `agent` '' is the directory itself.
CREATE TABLE done_once (
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    operation TEXT NOT NULL,
    key TEXT NOT NULL,
    fingerprint TEXT NOT NULL,
    resource TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (tenant, agent, operation, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX done_once_oldest_first ON done_once (tenant, created_at);
