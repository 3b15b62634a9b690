"""The chaos in force if it differs from the initial one, and the states of its faults."""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_COLUMNS = """
ALTER TABLE orchestrator.{table}
    -- As `chaos`, with the number of the step after which it was put in force; NULL: that of the start still is.
    ADD COLUMN chaos_now jsonb,
    -- How many faults reached each state.
    ADD COLUMN faults jsonb NOT NULL DEFAULT '{{}}';
"""
_TABLES = ("episodes", "snapshots")


def upgrade() -> None:
    """Add the columns."""
    for table in _TABLES:
        op.execute(_COLUMNS.format(table=table))


def downgrade() -> None:
    """Drop the columns."""
    for table in _TABLES:
        op.execute(f"ALTER TABLE orchestrator.{table} DROP COLUMN chaos_now, DROP COLUMN faults")
