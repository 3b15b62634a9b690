"""Smaller storage: packed records, and marks on bases and layers that are being removed."""

from __future__ import annotations

from alembic import op

from orchestrator.storage.packing import unpacked

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

_TABLES = """
-- Nothing starts from a retired base any more; once nobody uses it, it goes.
ALTER TABLE orchestrator.bases ADD COLUMN retired boolean NOT NULL DEFAULT false;
-- A layer that was reaped is looked at once more, for what was still on its way to it.
ALTER TABLE orchestrator.garbage ADD COLUMN reaped boolean NOT NULL DEFAULT false;
-- Finished episodes by age, of which the oldest go.
CREATE INDEX episodes_done ON orchestrator.episodes (world) WHERE done;
-- Records are packed from now on; those there are stay as they are, and are read as such.
ALTER TABLE orchestrator.steps ALTER COLUMN record TYPE bytea USING convert_to(record, 'UTF8');
-- Packed already.
ALTER TABLE orchestrator.steps ALTER COLUMN record SET STORAGE EXTERNAL;
"""


def upgrade() -> None:
    """Add the columns and the index."""
    op.execute(_TABLES)


def downgrade() -> None:
    """Drop the columns and the index, and unpack the records."""
    connection = op.get_bind()
    for world, step, record in connection.exec_driver_sql(
        "SELECT world, step, record FROM orchestrator.steps"
    ).all():
        connection.exec_driver_sql(
            "UPDATE orchestrator.steps SET record = %s WHERE world = %s AND step = %s",
            (unpacked(bytes(record)), world, step),
        )
    op.execute(
        "ALTER TABLE orchestrator.steps ALTER COLUMN record TYPE text USING convert_from(record, 'UTF8')"
    )
    op.execute("DROP INDEX orchestrator.episodes_done")
    op.execute("ALTER TABLE orchestrator.garbage DROP COLUMN reaped")
    op.execute("ALTER TABLE orchestrator.bases DROP COLUMN retired")
