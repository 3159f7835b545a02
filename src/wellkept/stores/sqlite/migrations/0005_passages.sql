-- The last revision of a tenant's passages. It never goes back: who knew what was there before a deletion sees that it
-- is not there any more.
CREATE TABLE passage_revisions (
    tenant TEXT NOT NULL PRIMARY KEY,
    last INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Whose passages there are, and how far they have come: one row for each agent and user that has any.
CREATE TABLE passage_owners (
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    user_id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    removals INTEGER NOT NULL,
    PRIMARY KEY (tenant, agent, user_id)
) STRICT, WITHOUT ROWID;

CREATE INDEX passage_owners_of_user ON passage_owners (tenant, user_id);

-- `metadata` and `sources` are JSON, `entry` is what searching makes of the text.
CREATE TABLE passages (
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    user_id TEXT NOT NULL,
    id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    session TEXT NOT NULL,
    kind TEXT NOT NULL,
    message TEXT NOT NULL,
    part INTEGER NOT NULL,
    number INTEGER NOT NULL,
    speaker TEXT NOT NULL,
    at INTEGER NOT NULL,
    text TEXT NOT NULL,
    metadata TEXT NOT NULL,
    sources TEXT NOT NULL,
    entry BLOB NOT NULL,
    PRIMARY KEY (tenant, agent, user_id, id)
) STRICT;

CREATE INDEX passages_named ON passages (tenant, id);
CREATE INDEX passages_changed ON passages (tenant, agent, user_id, revision, id);
CREATE INDEX passages_newest_first ON passages (tenant, agent, at DESC, id DESC);
CREATE INDEX passages_of_user ON passages (tenant, agent, user_id, at DESC, id DESC);
CREATE INDEX passages_of_session ON passages (tenant, agent, session, user_id, kind, message, number);

CREATE TABLE passage_vectors (
    tenant TEXT NOT NULL,
    agent TEXT NOT NULL,
    user_id TEXT NOT NULL,
    passage TEXT NOT NULL,
    model TEXT NOT NULL,
    data BLOB NOT NULL,
    PRIMARY KEY (tenant, agent, user_id, passage, model),
    FOREIGN KEY (tenant, agent, user_id, passage) REFERENCES passages (tenant, agent, user_id, id) ON DELETE CASCADE
) STRICT;
