"""PostgreSQL for a uid without a user name, as in many containers; `initdb` and `postgres` refuse such a uid.

Both programs call `getpwuid` only to get the name, which they do not need, because the command line names the
superuser. In a copy of the programs, this module replaces the import of `getpwuid` with `getpwent`, which
returns the first entry of the user database. Unlike a user namespace, which Docker's default profile forbids,
this needs no privilege.
"""

import os
import pwd
import shutil
from pathlib import Path

ASKED, ASKED_INSTEAD = b"\0getpwuid\0", b"\0getpwent\0"
PROGRAMS = ("initdb", "postgres")


def is_nameless(uid: int) -> bool:
    """Return whether a uid has no entry in the user database."""
    try:
        pwd.getpwuid(uid)
    except KeyError:
        return True
    return False


def copy_for_nameless(programs: Path, target: Path) -> Path:
    """Return a folder below `target` with patched copies of the programs, and links to the rest of the installation."""
    installation, package = programs.parents[0], programs.parents[1]
    if not target.exists():
        unfinished = target.with_name(f"{target.name}.making-{os.getpid()}")
        shutil.rmtree(unfinished, ignore_errors=True)
        copied = unfinished / programs.relative_to(package.parent)
        copied.mkdir(parents=True)
        # A wheel's libraries are next to its package, and programs find them by a relative path.
        (unfinished / f"{package.name}.libs").symlink_to(package.with_name(f"{package.name}.libs"))
        _link_all(installation, copied.parent, besides=(programs.name,))
        _link_all(programs, copied, besides=PROGRAMS)
        for name in PROGRAMS:
            _copy(programs / name, copied / name)
        unfinished.rename(target)
    return target / programs.relative_to(package.parent)


def _link_all(source: Path, target: Path, *, besides: tuple[str, ...]) -> None:
    for entry in sorted(source.iterdir()):
        if entry.name not in besides:
            (target / entry.name).symlink_to(entry)


def _copy(source: Path, target: Path) -> None:
    target.write_bytes(source.read_bytes().replace(ASKED, ASKED_INSTEAD))
    target.chmod(0o755)
