"""The `doctor` command: check this machine's prerequisites and print how to fix missing ones."""

import os
import platform
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

from companyos.embedded.errors import LEAST_FREE_MB, StackError
from companyos.embedded.home import Home
from companyos.embedded.ports import listen
from companyos.embedded.programs.processes import IS_LINUX
from companyos.embedded.server import default_port, process_names
from companyos.embedded.settings import check_given_settings, settings_in_force, stack_settings
from companyos.embedded.stores.binaries import postgres_folder, postgres_major, valkey_program
from companyos.embedded.stores.identity import user_namespaces_work
from companyos.embedded.stores.sockets import socket_folder

from .output import print_columns, print_json

LEAST_PYTHON = (3, 11)
LEAST_POSTGRES = 15
LEAST_SHARED_MB = 32
SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - asked about, not written to


class Verdict(StrEnum):
    """The outcome of a check; with `warn` the stack works, but not as well."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True)
class Finding:
    """The result of one check and, if anything is wrong, the fix."""

    name: str
    verdict: Verdict
    found: str
    fix: str = ""


def run(home_path: Path | None, *, as_json: bool) -> None:
    """Print every finding; exit with 1 if any of them prevents the stack from running."""
    findings = list(examine(Home.at(home_path)))
    if as_json:
        print_json([asdict(finding) for finding in findings])
    else:
        print_columns(
            [[f.verdict.value, f.name, f.found + (f". {f.fix}" if f.fix else "")] for f in findings]
        )
    if any(finding.verdict is Verdict.FAIL for finding in findings):
        sys.exit(1)


def examine(home: Home) -> Iterator[Finding]:
    """Run every check, in the order in which a start needs them."""
    yield _system()
    yield _python()
    yield _program("settings", _settings)
    yield _home(home)
    yield _disk(home)
    yield _program("PostgreSQL", _postgres)
    yield _program("Valkey", lambda: str(valkey_program()))
    yield _user_namespaces()
    yield _program("sockets", lambda: str(socket_folder(home.path)))
    yield _shared_memory()
    yield _ports(home)


def _system() -> Finding:
    return Finding("system", Verdict.OK, platform.platform())


def _python() -> Finding:
    version = platform.python_version()
    if sys.version_info[:2] < LEAST_PYTHON:
        return Finding("python", Verdict.FAIL, version, "Install Python 3.11 or newer")
    return Finding("python", Verdict.OK, f"{version} at {sys.executable}")


def _home(home: Home) -> Finding:
    nearest = _nearest(home.path)
    if not os.access(nearest, os.W_OK | os.X_OK):
        return Finding("home", Verdict.FAIL, f"{nearest} cannot be written to", "Choose another --home")
    return Finding("home", Verdict.OK, str(home.path))


def _disk(home: Home) -> Finding:
    free_mb = shutil.disk_usage(_nearest(home.path)).free // 2**20
    found = f"{free_mb} MB free"
    if free_mb < LEAST_FREE_MB:
        fix = f"Free {LEAST_FREE_MB} MB, or choose a --home on another disk"
        return Finding("disk", Verdict.FAIL, found, fix)
    return Finding("disk", Verdict.OK, found)


def _settings() -> str:
    stack_settings()
    check_given_settings()
    return f"{len(settings_in_force())} set"


def _postgres() -> str:
    folder = postgres_folder()
    major = postgres_major(folder)
    if major < LEAST_POSTGRES:
        raise StackError(f"{folder} holds PostgreSQL {major}. Install {LEAST_POSTGRES} or newer")
    return f"{major} in {folder}"


def _program(name: str, find: Callable[[], str]) -> Finding:
    try:
        return Finding(name, Verdict.OK, find())
    except StackError as failure:
        reason, _, fix = str(failure).partition(". ")
        return Finding(name, Verdict.FAIL, reason, fix)


def _user_namespaces() -> Finding:
    name = "user namespaces"
    if not IS_LINUX or os.geteuid() != 0:
        return Finding(name, Verdict.OK, "not needed: PostgreSQL runs as you")
    if user_namespaces_work():
        return Finding(name, Verdict.OK, "work: PostgreSQL, which refuses root, runs in one")
    fix = "PostgreSQL runs as uid 65534 on a copy instead; run as an ordinary user to avoid that"
    return Finding(name, Verdict.WARN, "blocked, and you are root", fix)


def _shared_memory() -> Finding:
    name = "shared memory"
    if not IS_LINUX:
        return Finding(name, Verdict.OK, "not needed on this system")
    if not SHARED_MEMORY.is_dir():
        return Finding(
            name, Verdict.FAIL, f"{SHARED_MEMORY} is missing", "Mount it: in Docker, --shm-size=64m"
        )
    free_mb = shutil.disk_usage(SHARED_MEMORY).free // 2**20
    if free_mb < LEAST_SHARED_MB:
        return Finding(name, Verdict.WARN, f"{free_mb} MB free", "Enlarge it: in Docker, --shm-size=64m")
    return Finding(name, Verdict.OK, f"{free_mb} MB free")


def _ports(home: Home) -> Finding:
    if running := home.status():
        return Finding("ports", Verdict.OK, f"the stack of this home runs at {running.url}")
    taken = [str(port) for port in map(default_port, process_names()) if _is_taken(port)]
    if taken:
        fix = "Free ones will be used instead; `companyos status` shows them"
        return Finding("ports", Verdict.WARN, f"{', '.join(taken)} taken", fix)
    return Finding("ports", Verdict.OK, "the usual ones are free")


def _is_taken(port: int) -> bool:
    try:
        listen("127.0.0.1", port, exactly=True).close()
    except StackError:
        return True
    return False


def _nearest(path: Path) -> Path:
    return next(folder for folder in (path, *path.parents) if folder.exists())
