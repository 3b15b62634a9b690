"""A token for the agent of every episode, of which only the digest is stored."""

from __future__ import annotations

from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; existing episodes have no token."""
    op.execute("ALTER TABLE orchestrator.episodes ADD COLUMN agent text")
    op.execute("CREATE UNIQUE INDEX episodes_by_agent ON orchestrator.episodes (agent)")


def downgrade() -> None:
    """Drop the column."""
    op.execute("ALTER TABLE orchestrator.episodes DROP COLUMN agent")
