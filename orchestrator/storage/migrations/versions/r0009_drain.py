"""Until when the stack takes no resets, if it was asked to drain."""

from __future__ import annotations

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

_TABLE = """
CREATE TABLE orchestrator.drains (is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only), until timestamptz NOT NULL);
GRANT SELECT, INSERT, UPDATE, DELETE ON orchestrator.drains TO orchestrator;
"""


def upgrade() -> None:
    """Add the table, empty: nothing drains."""
    op.execute(_TABLE)


def downgrade() -> None:
    """Drop the table; a stack that drains takes resets again."""
    op.execute("DROP TABLE orchestrator.drains")
