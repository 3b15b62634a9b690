"""As whom PostgreSQL runs: it refuses root, so root lends it a user namespace, or else another uid."""

import os
import shutil
import stat
import subprocess
from dataclasses import dataclass
from functools import cache
from hashlib import blake2b
from pathlib import Path

from .errors import StackError

NOBODY = 65534
MAPPED = ("unshare", "--user", f"--map-user={NOBODY}", f"--map-group={NOBODY}", "--")


@dataclass(frozen=True)
class Identity:
    """How to start a program that refuses root.

    `prefix` goes before its command line; `user` is the uid to change to, None to stay who we are.
    """

    prefix: tuple[str, ...] = ()
    user: int | None = None

    def place(self, home: Path) -> Path:
        """Return where this identity keeps files: `home`, or a folder of its own if it cannot enter that."""
        if self.user is None:
            return home
        return private_folder(Path("/var/tmp") / f"companyos-{short_hash(home)}", owner=self.user)  # noqa: S108

    def reach(self, programs: Path, home: Path) -> Path:
        """Return the folder `programs`, or the same in a copy of its package that this identity can enter."""
        if self.user is None or _open_to_others(programs):
            return programs
        package = programs.parent.parent
        for source in (package, package.with_name(f"{package.name}.libs")):
            _copy_once(source, self.place(home) / source.name, self.user)
        return self.place(home) / programs.relative_to(package.parent)

    def own(self, folder: Path) -> None:
        """Give `folder` and all below it to this identity."""
        if self.user is not None:
            _give(folder, self.user)


@cache
def postgres_identity() -> Identity:
    """Return how this process may run PostgreSQL on this machine."""
    if os.geteuid() != 0:
        return Identity()
    return Identity(prefix=MAPPED) if user_namespaces_work() else Identity(user=NOBODY)


@cache
def user_namespaces_work() -> bool:
    """Tell whether the kernel lets us open a user namespace (Docker's default profile does not)."""
    if shutil.which("unshare") is None:
        return False
    return subprocess.run([*MAPPED, "true"], capture_output=True).returncode == 0


def short_hash(path: Path) -> str:
    """Return eight hex digits that name this path for this user."""
    return blake2b(f"{os.getuid()}:{path.resolve()}".encode(), digest_size=4).hexdigest()


def private_folder(path: Path, *, owner: int) -> Path:
    """Return `path` as a folder that only `owner` can enter.

    Raises:
        StackError: Something else is there, which in a shared folder may be somebody's trap.
    """
    path.mkdir(mode=0o700, exist_ok=True)
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (os.geteuid(), owner):
        raise StackError(f"{path} belongs to somebody else. Remove it, or choose another --home.")
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
