"""Episode names that players hold, and snapshot ids that cannot be guessed."""

from __future__ import annotations

from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_TABLES = """
-- The socket (REPLICA.NUMBER) or session that plays; NULL: nobody in particular; '': one that is gone.
ALTER TABLE orchestrator.episodes ADD COLUMN player text;

-- Replicas with sockets that play; each says again and again that it lives.
CREATE TABLE orchestrator.replicas (id text PRIMARY KEY, alive_until timestamptz NOT NULL);
GRANT SELECT, INSERT, UPDATE, DELETE ON orchestrator.replicas TO orchestrator;

ALTER TABLE orchestrator.snapshots ADD COLUMN id text;
-- Those there are keep the ids by which their owners know them.
UPDATE orchestrator.snapshots SET id = 'snap-' || number;
ALTER TABLE orchestrator.snapshots ALTER COLUMN id SET NOT NULL, ADD CONSTRAINT snapshots_id_key UNIQUE (id);
"""


def upgrade() -> None:
    """Add the columns and the table."""
    op.execute(_TABLES)


def downgrade() -> None:
    """Drop the columns and the table."""
    op.execute("ALTER TABLE orchestrator.snapshots DROP COLUMN id")
    op.execute("DROP TABLE orchestrator.replicas")
    op.execute("ALTER TABLE orchestrator.episodes DROP COLUMN player")
