"""The folder that `companyos container prepare` fills while an image is built, and from which containers start faster.

It holds a cluster with every schema, which a new home copies instead of creating one, and PostgreSQL's programs for a
uid without a user name, which a container could not run from a `/tmp` mounted without permission to execute.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "COMPANYOS_PREPARED"
#: The file of a cluster that says which schemas it was prepared with.
SCHEMAS = "companyos.schemas"
READABLE = 0o444
ENTERED = 0o111


@dataclass(frozen=True)
class Prepared:
    """One prepared folder; all of it is read-only to those who start from it."""

    folder: Path

    @classmethod
    def given(cls) -> "Prepared | None":
        """Return the folder that COMPANYOS_PREPARED names, or None."""
        return cls(Path(named)) if (named := os.environ.get(VARIABLE)) else None

    @property
    def programs(self) -> Path:
        """The installation of PostgreSQL for a uid without a user name."""
        return self.folder / "programs"

    def template(self, major: int) -> Path:
        """Return the path of the prepared cluster for a major version of PostgreSQL."""
        return self.folder / f"template-{major}"

    def keep(self, cluster: Path, *, major: int, schemas: str) -> None:
        """Copy the folder of a stopped cluster whose schemas have this digest.

        Every user may read the copy, because the one who will start from it is not known yet.
        """
        target = self.template(major)
        shutil.copytree(cluster, target, symlinks=True)
        (target / SCHEMAS).write_text(schemas)
        for path in (target, *target.rglob("*")):
            path.chmod(path.stat().st_mode | READABLE | (ENTERED if path.is_dir() else 0))
