"""Episodes, the records of their steps, the bases they start from, and the layers to be removed."""

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
    used_at timestamptz NOT NULL DEFAULT clock_timestamp()) WITH (fillfactor = 60);
CREATE INDEX episodes_open ON orchestrator.episodes (world) WHERE NOT done;
CREATE INDEX episodes_by_base ON orchestrator.episodes (base);

CREATE TABLE orchestrator.steps (
    world bigint NOT NULL,
    step integer NOT NULL,
    record text NOT NULL,
    PRIMARY KEY (world, step));

-- Layers the services may drop from `due_at` on; with `forget`, the records of the steps go as well.
CREATE TABLE orchestrator.garbage (
    layer bigint PRIMARY KEY,
    forget boolean NOT NULL,
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
        "DROP TABLE orchestrator.garbage, orchestrator.steps, orchestrator.episodes, orchestrator.bases"
    )
    op.execute("DROP SEQUENCE orchestrator.worlds, orchestrator.base_layers")
