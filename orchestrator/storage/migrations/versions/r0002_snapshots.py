"""Snapshots, and the earlier worlds of an episode."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

_TABLES = """
ALTER TABLE orchestrator.episodes
    -- Worlds played before this one, oldest first: the records of the steps are under their numbers.
    ADD COLUMN lineage bigint[] NOT NULL DEFAULT '{}',
    -- The step at which the world began: nothing is written in its layer before the next.
    ADD COLUMN begun integer NOT NULL DEFAULT 0,
    ADD COLUMN origin jsonb;
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

-- A layer that somebody left is looked at when it is due: where nobody else has it, it goes, and its records with it.
ALTER TABLE orchestrator.garbage DROP COLUMN forget;

GRANT SELECT, INSERT, UPDATE, DELETE ON orchestrator.snapshots TO orchestrator;
"""


def upgrade() -> None:
    """Add the snapshots and the columns that branched episodes need."""
    op.execute(_TABLES)


def downgrade() -> None:
    """Drop the snapshots and the columns."""
    op.execute("ALTER TABLE orchestrator.garbage ADD COLUMN forget boolean NOT NULL DEFAULT true")
    op.execute("DROP TABLE orchestrator.snapshots")
    op.execute("DROP INDEX orchestrator.episodes_long, orchestrator.episodes_by_layer")
    op.execute("ALTER TABLE orchestrator.episodes DROP COLUMN origin, DROP COLUMN begun, DROP COLUMN lineage")
