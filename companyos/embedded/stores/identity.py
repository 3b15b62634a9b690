"""The user that PostgreSQL runs as. It refuses root, so root uses a user namespace or another uid."""

import os
import shutil
import stat
import subprocess
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path

from ..errors import StackError
from ..programs.processes import IS_LINUX
from .nameless import copy_for_nameless, is_nameless
from .prepared import Prepared

NOBODY = 65534
MAPPED = ("unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}", "--")


@dataclass(frozen=True)
class Identity:
    """How to start a program that refuses root.

    `prefix` precedes its command line. `user` is the uid to change to, or None to keep the current one. `nameless`
    is True if that uid has no entry in the user database.
    """

    prefix: tuple[str, ...] = ()
    user: int | None = None
    nameless: bool = False

    def place(self, home: Path) -> Path:
        """Return the folder for this identity's files: `home`, or another folder if it cannot enter that."""
        if self.user is None:
            return home
        return private_folder(Path("/var/tmp") / f"companyos-{short_hash(home)}", owner=self.user)  # noqa: S108

    def reach(self, programs: Path, home: Path) -> Path:
        """Return the folder `programs`, or a copy that this identity can enter."""
        if self.nameless:
            prepared = Prepared.given()
            if prepared and prepared.programs.exists():
                return copy_for_nameless(programs, prepared.programs)
            home.mkdir(parents=True, exist_ok=True)
            return copy_for_nameless(programs, home / f"programs-{short_hash(programs)}")
        if self.user is None or _open_to_others(programs):
            return programs
        package = programs.parent.parent
        for source in (package, package.with_name(f"{package.name}.libs")):
            _copy_once(source, self.place(home) / source.name, self.user)
        return self.place(home) / programs.relative_to(package.parent)

    def own(self, folder: Path) -> None:
        """Change the owner of `folder` and everything below it to this identity."""
        if self.user is not None:
            _give(folder, self.user)


@cache
def postgres_identity() -> Identity:
    """Return the identity for PostgreSQL on this machine."""
    if os.geteuid() != 0:
        return Identity(nameless=IS_LINUX and is_nameless(os.geteuid()))
    return Identity(prefix=MAPPED) if user_namespaces_work() else Identity(user=NOBODY)


@cache
def user_namespaces_work() -> bool:
    """Return whether the kernel allows user namespaces (Docker's default profile does not)."""
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*MAPPED, "true"], capture_output=True).returncode == 0


def short_hash(path: Path) -> str:
    """Return eight hex digits that identify this path for this user."""
    return blake2b(f"{os.getuid()}:{path.resolve()}".encode(), digest_size=4).hexdigest()


def private_folder(path: Path, *, owner: int) -> Path:
    """Create `path` as a folder that only `owner` can enter, and return it.

    Raises:
        StackError: The path belongs to another user, which in a shared folder may be an attack.
    """
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (os.geteuid(), owner):
        raise StackError(f"{path} belongs to another user. Remove it, or choose another --home.")
    if found.st_uid != owner:
        os.chown(path, owner, owner)
    path.chmod(0o700)
    return path


def _open_to_others(folder: Path) -> bool:
    return all(part.stat().st_mode & stat.S_IXOTH for part in (folder, *folder.parents))


def _copy_once(source: Path, target: Path, user: int) -> None:
    if source.exists() and not target.exists():
        shutil.copytree(source, target, symlinks=True)
        _give(target, user)


def _give(folder: Path, user: int) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, user, user, follow_symlinks=False)
