"""Episodes, the records of their steps, snapshots, sessions, the bases of worlds, and the layers to be removed."""

from __future__ import annotations

from alembic import op

# Databases of before the first release are at this number already, and have what it makes.
revision = "0009"
down_revision = None
branch_labels = None
depends_on = None

_TABLES = """
CREATE SEQUENCE orchestrator.worlds;
CREATE SEQUENCE orchestrator.base_layers INCREMENT -1 START -1 MINVALUE -9223372036854775808 MAXVALUE -1;

CREATE TABLE orchestrator.bases (
    digest text PRIMARY KEY,
    layer bigint NOT NULL UNIQUE DEFAULT nextval('orchestrator.base_layers'),
    ready boolean NOT NULL DEFAULT false,
    due jsonb NOT NULL DEFAULT '{}',
    used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Nothing starts from a retired base any more; once nobody uses it, it goes.
    retired boolean NOT NULL DEFAULT false);

-- A step changes this row twice; room on the page keeps the changes out of the indexes.
CREATE TABLE orchestrator.episodes (
    id text PRIMARY KEY,
    world bigint NOT NULL UNIQUE,
    chain bigint[] NOT NULL,
    base text NOT NULL,
    scenario text NOT NULL,
    version integer NOT NULL,
    seed bigint NOT NULL,
    chaos jsonb NOT NULL,
    size text NOT NULL,
    profile text NOT NULL,
    mode text NOT NULL,
    max_steps integer NOT NULL,
    step integer NOT NULL DEFAULT 0,
    sim_now bigint NOT NULL,
    due jsonb NOT NULL,
    total numeric(12, 2) NOT NULL DEFAULT 0,
    hash text NOT NULL,
    done boolean NOT NULL DEFAULT false,
    terminated boolean NOT NULL DEFAULT false,
    truncated boolean NOT NULL DEFAULT false,
    success boolean,
    invalid text,
    claim_action text,
    claim_token text,
    claim_since timestamptz,
    failures integer NOT NULL DEFAULT 0,
    used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- Worlds played before this one, oldest first: the records of the steps are under their numbers.
    lineage bigint[] NOT NULL DEFAULT '{}',
    -- The step at which the world began: nothing is written in its layer before the next.
    begun integer NOT NULL DEFAULT 0,
    origin jsonb,
    -- As `chaos`, with the number of the step after which it was put in force; NULL: that of the start still is.
    chaos_now jsonb,
    -- How many faults reached each state.
    faults jsonb NOT NULL DEFAULT '{}',
    -- The socket (REPLICA.NUMBER) or session that plays; NULL: nobody in particular; '': one that is gone.
    player text,
    -- Digest of the token of the episode's agent.
    agent text) WITH (fillfactor = 60);
CREATE INDEX episodes_open ON orchestrator.episodes (world) WHERE NOT done;
-- Finished episodes by age, of which the oldest go.
CREATE INDEX episodes_done ON orchestrator.episodes (world) WHERE done;
CREATE INDEX episodes_by_base ON orchestrator.episodes (base);
CREATE UNIQUE INDEX episodes_by_agent ON orchestrator.episodes (agent);
-- Who shares a layer or the records of a world; an episode that nobody branched costs nothing here.
CREATE INDEX episodes_by_layer ON orchestrator.episodes USING gin (chain, lineage) WHERE lineage <> '{}';
CREATE INDEX episodes_long ON orchestrator.episodes (world) WHERE cardinality(chain) > 8 AND NOT done;

CREATE TABLE orchestrator.steps (
    world bigint NOT NULL,
    step integer NOT NULL,
    record bytea NOT NULL,
    PRIMARY KEY (world, step));
-- Packed already.
ALTER TABLE orchestrator.steps ALTER COLUMN record SET STORAGE EXTERNAL;

-- A world between two steps: what an episode needs to go on from there.
CREATE TABLE orchestrator.snapshots (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text,
    pinned boolean NOT NULL,
    episode text NOT NULL,
    chain bigint[] NOT NULL,
    lineage bigint[] NOT NULL,
    base text NOT NULL,
    scenario text NOT NULL,
    version integer NOT NULL,
    seed bigint NOT NULL,
    chaos jsonb NOT NULL,
    size text NOT NULL,
    profile text NOT NULL,
    mode text NOT NULL,
    max_steps integer NOT NULL,
    step integer NOT NULL,
    sim_now bigint NOT NULL,
    due jsonb NOT NULL,
    total numeric(12, 2) NOT NULL,
    hash text NOT NULL,
    used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    chaos_now jsonb,
    faults jsonb NOT NULL DEFAULT '{}',
    id text NOT NULL UNIQUE);
CREATE INDEX snapshots_by_layer ON orchestrator.snapshots USING gin (chain, lineage);
CREATE INDEX snapshots_by_base ON orchestrator.snapshots (base);
CREATE INDEX snapshots_long ON orchestrator.snapshots (number) WHERE cardinality(chain) > 8;
CREATE INDEX snapshots_loose ON orchestrator.snapshots (used_at) WHERE NOT pinned;

-- A layer that somebody left is looked at when it is due: where nobody else has it, it goes, and its records with it.
CREATE TABLE orchestrator.garbage (
    layer bigint PRIMARY KEY,
    due_at timestamptz NOT NULL,
    -- A layer that was reaped is looked at once more, for what was still on its way to it.
    reaped boolean NOT NULL DEFAULT false);
CREATE INDEX garbage_due ON orchestrator.garbage (due_at);

-- Trainers' sessions, which any replica can serve by their id.
CREATE TABLE orchestrator.sessions (
    id text PRIMARY KEY,
    episode text,
    -- The socket that has it, while whoever serves that socket says so again and again.
    holder text,
    held_until timestamptz,
    -- Ends when its socket leaves.
    closing boolean NOT NULL DEFAULT false,
    used_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    -- The `uid` of the episode, which no later one of the same name has.
    episode_uid text);
CREATE INDEX sessions_used ON orchestrator.sessions (used_at);

-- Replicas with sockets that play; each says again and again that it lives.
CREATE TABLE orchestrator.replicas (id text PRIMARY KEY, alive_until timestamptz NOT NULL);

-- Until when the stack takes no resets; empty where nothing drains.
CREATE TABLE orchestrator.drains (is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), until timestamptz NOT NULL);

GRANT USAGE ON SCHEMA orchestrator TO orchestrator;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA orchestrator TO orchestrator;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA orchestrator TO orchestrator;
REVOKE INSERT, UPDATE, DELETE ON orchestrator.alembic_version FROM orchestrator;
"""


def upgrade() -> None:
    """Create everything."""
    op.execute(_TABLES)
