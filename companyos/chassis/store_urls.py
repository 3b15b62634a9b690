"""The URLs of PostgreSQL and of Redis, checked before a process starts.

Their own libraries read them, whose forms are more than a server's address, and refuse a wrong port only when they
connect.
"""

from typing import Final

from psycopg import ProgrammingError
from psycopg.conninfo import conninfo_to_dict
from redis.asyncio.connection import parse_url

from companyos.sdk.addresses import readable_parts

DATABASE_FORM: Final = "a PostgreSQL URL such as postgresql://user:password@host:5432/database"
BUS_FORM: Final = "a Redis or Valkey URL such as redis://:password@host:6379/0"
_DATABASE_SCHEMES: Final = ("postgresql://", "postgres://")


def is_database_url(url: str) -> bool:
    """Return whether PostgreSQL can be asked for a connection; a URL may name several hosts."""
    try:
        ports = str(conninfo_to_dict(url).get("port") or "")
    except ProgrammingError:
        return False
    # An empty port is the usual one.
    return url.startswith(_DATABASE_SCHEMES) and all(
        readable_parts(f"//host:{port}") for port in ports.split(",")
    )


def is_bus_url(url: str) -> bool:
    """Return whether Redis or Valkey can be asked for a connection."""
    try:
        socket_path = parse_url(url).get("path")
    except ValueError:
        return False
    # The library asks the usual port instead of port 0.
    return readable_parts(url) is not None and bool(socket_path or not url.startswith("unix:"))
