"""Migrations of the orchestrator's own schema, because episodes and their records outlive versions of the code.

`upgrade` runs them; `companyos migrate` calls it. The roles `orchestrator_owner` and `orchestrator` must exist.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlalchemy as sa

#: The revision that this version of the code needs.
HEAD = "0010"

_LOCK = 7_268_114_002


def upgrade(admin_url: str) -> bool:
    """Migrate the schema `orchestrator` to the newest revision; any number of processes may call it at once.

    Args:
        admin_url: PostgreSQL, as a role that may act as the schema's owner.

    Returns:
        Whether anything changed.
    """
    # Alembic and SQLAlchemy's engine take a quarter of a second to import, and no serving process needs them.
    import sqlalchemy as sa
    from alembic import command
    from alembic.config import Config

    engine = sa.create_engine(sa.make_url(admin_url).set(drivername="postgresql+psycopg"))
    try:
        with engine.begin() as connection:
            connection.execute(sa.text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": _LOCK})
            connection.execute(
                sa.text("CREATE SCHEMA IF NOT EXISTS orchestrator AUTHORIZATION orchestrator_owner")
            )
            before = _revision(connection)
            config = Config()
            config.set_main_option("script_location", str(Path(__file__).parent))
            config.attributes["connection"] = connection
            command.upgrade(config, "head")
            return before != _revision(connection)
    finally:
        engine.dispose()


def _revision(connection: sa.Connection) -> str | None:
    import sqlalchemy as sa

    if connection.scalar(sa.text("SELECT to_regclass('orchestrator.alembic_version')")) is None:
        return None
    revision: str | None = connection.scalar(sa.text("SELECT version_num FROM orchestrator.alembic_version"))
    return revision
