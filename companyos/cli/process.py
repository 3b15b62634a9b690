"""The commands that containers run: one process of the stack, and the database migration."""

import os
import socket
from pathlib import Path

from companyos.embedded import server
from companyos.embedded.errors import Misuse
from companyos.embedded.scenarios import require_scenarios
from companyos.embedded.settings import check_settings

from .output import echo


def serve(name: str, *, fd: int | None, agent_fd: int | None = None, own_fd: int | None = None) -> None:
    """Serve one process, on the listening sockets `fd` and `own_fd` if given, and its agent API on `agent_fd`.

    Raises:
        Misuse: The process is unknown, or a setting is missing or invalid.
    """
    server.factory_of(name)
    if name == server.ORCHESTRATOR:
        require_scenarios()
    check_settings(name)
    server.serve(name, _listener(fd), agent_listener=_listener(agent_fd), own_listener=_listener(own_fd))


def migrate() -> None:
    """Migrate the database to this version.

    Raises:
        Misuse: A setting is missing or invalid.
    """
    from companyos.chassis.store_urls import DATABASE_FORM, is_database_url
    from companyos.embedded.migration import migrate as bring_up_to_date

    passwords = {name: secret(f"{name.upper()}_DATABASE_PASSWORD") for name in server.process_names()}
    admin_url = secret("COMPANYOS_ADMIN_DATABASE_URL")
    if not is_database_url(admin_url):
        raise Misuse(f"COMPANYOS_ADMIN_DATABASE_URL cannot be read. Give {DATABASE_FORM}.")
    changed = bring_up_to_date(admin_url, passwords)
    echo(f"Migrated: {', '.join(changed)}." if changed else "The database is up to date.")


def _listener(number: int | None) -> socket.socket | None:
    return None if number is None else socket.socket(fileno=number)


def secret(name: str) -> str:
    """Return a setting from the environment, or from the file that `<name>_FILE` names.

    Raises:
        Misuse: Neither is set, or the file is unreadable.
    """
    if value := os.environ.get(name):
        return value
    if path := os.environ.get(f"{name}_FILE"):
        try:
            return Path(path).read_text(encoding="utf-8-sig").strip()
        except OSError as failure:
            raise Misuse(f"{name}_FILE is {path}, which cannot be read ({failure.strerror}).") from None
        except UnicodeDecodeError:
            raise Misuse(f"{name}_FILE is {path}, which is no text in UTF-8.") from None
    raise Misuse(f"Set {name}, or {name}_FILE to the path of a file that holds it.")
