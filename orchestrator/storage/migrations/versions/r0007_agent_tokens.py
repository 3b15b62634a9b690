"""Every episode has a token for its agent; only the token's digest is kept."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; nobody has a token for the episodes there are."""
    op.execute("ALTER TABLE orchestrator.episodes ADD COLUMN agent text")
    op.execute("CREATE UNIQUE INDEX episodes_by_agent ON orchestrator.episodes (agent)")


def downgrade() -> None:
    """Drop the column."""
    op.execute("ALTER TABLE orchestrator.episodes DROP COLUMN agent")
