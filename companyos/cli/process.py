"""The commands that containers run: one process of the stack, and the migration of its database."""

import os
import socket
from pathlib import Path

import typer

from companyos.embedded import server
from companyos.embedded.errors import StackError


def serve(name: str, *, fd: int | None) -> None:
    """Serve one process, on the listening socket `fd` when it is given."""
    server.serve(name, socket.socket(fileno=fd) if fd is not None else None)


def migrate() -> None:
    """Bring the database to what this version needs."""
    from companyos.chassis.schema import migrate as bring_up_to_date

    passwords = {name: secret(f"{name.upper()}_DATABASE_PASSWORD") for name in server.process_names()}
    changed = bring_up_to_date(secret("COMPANYOS_ADMIN_DATABASE_URL"), passwords)
    typer.echo(f"Migrated: {', '.join(changed)}." if changed else "Everything was up to date.")


def secret(name: str) -> str:
    """Return a setting from the environment, or from the file that `<name>_FILE` names.

    Raises:
        StackError: Neither is set.
    """
    if value := os.environ.get(name):
        return value
    if path := os.environ.get(f"{name}_FILE"):
        return Path(path).read_text(encoding="utf-8").strip()
    raise StackError(f"Set {name}, or {name}_FILE to the path of a file that holds it.")
