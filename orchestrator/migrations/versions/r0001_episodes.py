"""Episodes, their snapshots and step records, the bases they start from, and the layers to be removed."""

from __future__ import annotations

from alembic import op

revision = "0001"
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
    used_at timestamptz NOT NULL DEFAULT clock_timestamp());

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
    origin jsonb) WITH (fillfactor = 60);
CREATE INDEX episodes_open ON orchestrator.episodes (world) WHERE NOT done;
CREATE INDEX episodes_by_base ON orchestrator.episodes (base);
-- Who shares a layer or the records of a world; an episode that nobody branched costs nothing here.
CREATE INDEX episodes_by_layer ON orchestrator.episodes USING gin (chain, lineage) WHERE lineage <> '{}';
CREATE INDEX episodes_long ON orchestrator.episodes (world) WHERE cardinality(chain) > 8 AND NOT done;

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
    used_at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE INDEX snapshots_by_layer ON orchestrator.snapshots USING gin (chain, lineage);
CREATE INDEX snapshots_by_base ON orchestrator.snapshots (base);
CREATE INDEX snapshots_long ON orchestrator.snapshots (number) WHERE cardinality(chain) > 8;
CREATE INDEX snapshots_loose ON orchestrator.snapshots (used_at) WHERE NOT pinned;

CREATE TABLE orchestrator.steps (
    world bigint NOT NULL,
    step integer NOT NULL,
    record text NOT NULL,
    PRIMARY KEY (world, step));

-- Layers that somebody left, to be looked at from `due_at` on: where nobody else has them, they go.
CREATE TABLE orchestrator.garbage (
    layer bigint PRIMARY KEY,
    due_at timestamptz NOT NULL);
CREATE INDEX garbage_due ON orchestrator.garbage (due_at);

GRANT USAGE ON SCHEMA orchestrator TO orchestrator;
GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA orchestrator TO orchestrator;
GRANT USAGE ON ALL SEQUENCES IN SCHEMA orchestrator TO orchestrator;
REVOKE INSERT, UPDATE, DELETE ON orchestrator.alembic_version FROM orchestrator;
"""


def upgrade() -> None:
    """Create everything."""
    op.execute(_TABLES)


def downgrade() -> None:
    """Drop everything."""
    op.execute(
        "DROP TABLE orchestrator.garbage, orchestrator.steps, orchestrator.snapshots, orchestrator.episodes, "
        "orchestrator.bases"
    )
    op.execute("DROP SEQUENCE orchestrator.worlds, orchestrator.base_layers")
