"""${message}"""

from __future__ import annotations

from alembic import op

revision = ${repr(up_revision)}
down_revision = ${repr(down_revision)}
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Apply this revision."""
    ${upgrades if upgrades else "op.execute(\"\")"}


def downgrade() -> None:
    """Take this revision back."""
    ${downgrades if downgrades else "op.execute(\"\")"}
