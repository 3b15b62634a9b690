"""The episode of a session by its uid, which no later episode of the same name has."""

from __future__ import annotations

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; existing sessions play whichever episode has the name."""
    op.execute("ALTER TABLE orchestrator.sessions ADD COLUMN episode_uid text")


def downgrade() -> None:
    """Drop the column."""
    op.execute("ALTER TABLE orchestrator.sessions DROP COLUMN episode_uid")
