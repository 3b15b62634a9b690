"""Ladders: the snapshots along an oracle's solution."""

from __future__ import annotations

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

_TABLE = """
-- Gone once none of its snapshots is left.
CREATE TABLE orchestrator.ladders (
    place text PRIMARY KEY,
    rungs text[] NOT NULL,
    milestones jsonb NOT NULL);
GRANT SELECT, INSERT, UPDATE, DELETE ON orchestrator.ladders TO orchestrator;
"""


def upgrade() -> None:
    """Create the table."""
    op.execute(_TABLE)
