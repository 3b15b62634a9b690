"""Alembic's environment for our revisions: on the given connection, as the owner of the schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import context

connection: sa.Connection = context.config.attributes["connection"]
connection.execute(sa.text("SET LOCAL ROLE orchestrator_owner"))
context.configure(connection=connection, version_table_schema="orchestrator")
with context.begin_transaction():
    context.run_migrations()
connection.execute(sa.text("RESET ROLE"))
