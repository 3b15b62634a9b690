"""Builds the images of this tree and those of a fresh copy, all without a cache, and says in which files they differ.

Usage: python -m tests.e2e.one_image.rebuild, which takes several minutes.
"""

from __future__ import annotations

import hashlib
import sys
import tarfile
from pathlib import Path
from tempfile import TemporaryDirectory

from ..compose import ROOT, copy_tree, docker, docker_json
from .container import build

DOCKERFILES = ("Dockerfile", "deploy/load-balancer/Dockerfile")
FIRST, SECOND = "companyos-rebuild:first", "companyos-rebuild:second"
#: Facts of a file by the path that it has in the image.
Files = dict[str, tuple[object, ...]]


def main() -> int:
    """Build each image twice, compare, and return 0 if both builds of each have the same id."""
    with TemporaryDirectory(prefix="companyos-rebuild-") as folder:
        copy = _copy(Path(folder))
        reproducible = [_is_reproducible(each, copy) for each in DOCKERFILES]
    return 0 if all(reproducible) else 1


def _is_reproducible(dockerfile: str, copy: Path) -> bool:
    build(str(ROOT), FIRST, "--no-cache", dockerfile=dockerfile)
    build(str(copy), SECOND, "--no-cache", dockerfile=dockerfile)
    names = [docker_json("image", "inspect", image)[0]["Id"] for image in (FIRST, SECOND)]
    if names[0] != names[1]:
        first, second = (_files(image, copy.parent) for image in (FIRST, SECOND))
        differing = sorted(path for path in first.keys() | second if first.get(path) != second.get(path))
        print(*differing, sep="\n")
    docker("image", "rm", FIRST, SECOND)
    print(dockerfile, *names)
    return bool(names[0] == names[1])


def _copy(folder: Path) -> Path:
    """Copy the tree as another user would check it out: later, and with other permissions."""
    copy = copy_tree(folder)
    for path in copy.rglob("*"):
        path.chmod(path.stat().st_mode | 0o020)
    return copy


def _files(image: str, folder: Path) -> Files:
    """Return every file of an image, with all that an image keeps of it."""
    container = docker("create", image).stdout.strip()
    exported = folder / "exported.tar"
    docker("export", "--output", str(exported), container)
    docker("rm", container)
    with tarfile.open(exported) as tar:
        return {member.name: _facts(tar, member) for member in tar}


def _facts(tar: tarfile.TarFile, member: tarfile.TarInfo) -> tuple[object, ...]:
    file = tar.extractfile(member) if member.isreg() else None
    content = hashlib.sha256(file.read()).hexdigest() if file else member.linkname
    return member.type, member.mode, member.uid, member.gid, member.mtime, content


if __name__ == "__main__":
    sys.exit(main())
