"""The database migration of a stack: the schema of every service and of the orchestrator.

It imports the whole stack, so the supervisor runs it in a forked job.
"""

from collections.abc import Mapping
from hashlib import blake2b
from importlib import import_module
from pkgutil import iter_modules

import psycopg

import services
from companyos.chassis.schema import MIGRATION_LOCK, ServiceSchema, create_roles, prepare
from orchestrator.storage.migrations import HEAD, upgrade


def migrate(admin_url: str, passwords: Mapping[str, str | None]) -> list[str]:
    """Migrate the database to this version of the code.

    Args:
        admin_url: Database URL of a role that may create roles and schemas.
        passwords: Password of each login role, by service name; includes `orchestrator`. None removes it.

    Returns:
        Names of the schemas that were created or upgraded.
    """
    schemas = service_schemas()
    built = [name for name, schema in schemas.items() if prepare(admin_url, schema, passwords[name])]
    with psycopg.connect(admin_url) as connection:
        connection.execute("SELECT pg_advisory_xact_lock(%s)", (MIGRATION_LOCK,))
        create_roles(connection, "orchestrator", passwords["orchestrator"])
    return [*built, *(["orchestrator"] if upgrade(admin_url) else [])]


def schema_digest() -> str:
    """Return the digest of every schema's definition in this version of the code."""
    stamps = [f"{name} {schema.stamp()}" for name, schema in service_schemas().items()]
    return blake2b("\n".join([HEAD, *stamps]).encode(), digest_size=16).hexdigest()


def service_schemas() -> dict[str, ServiceSchema]:
    """Return the schema of every service by name. A new service needs no change here."""
    names = sorted(module.name for module in iter_modules(services.__path__) if module.ispkg)
    return {name: import_module(f"services.{name}.app").SERVICE.schema for name in names}
