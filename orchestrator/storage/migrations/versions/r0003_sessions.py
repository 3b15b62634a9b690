"""Trainers' sessions, which any replica can serve by their id."""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

_TABLES = """
CREATE TABLE orchestrator.sessions (
    id text PRIMARY KEY,
    episode text,
    -- The socket that has it, while whoever serves that socket says so again and again.
    holder text,
    held_until timestamptz,
    -- Ends when its socket leaves.
    closing boolean NOT NULL DEFAULT false,
    used_at timestamptz NOT NULL DEFAULT clock_timestamp());
CREATE INDEX sessions_used ON orchestrator.sessions (used_at);
GRANT SELECT, INSERT, UPDATE, DELETE ON orchestrator.sessions TO orchestrator;
"""


def upgrade() -> None:
    """Add the sessions."""
    op.execute(_TABLES)


def downgrade() -> None:
    """Drop the sessions."""
    op.execute("DROP TABLE orchestrator.sessions")
