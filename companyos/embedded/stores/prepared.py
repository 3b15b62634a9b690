"""The folder that `companyos container prepare` fills during an image build, so containers start faster.

It holds a cluster with every schema, which a new home copies instead of creating its own. It also holds
copies of PostgreSQL's programs for a uid without a user name, because containers cannot run them from a
`/tmp` mounted `noexec`.
"""

import os
import shutil
from dataclasses import dataclass
from pathlib import Path

VARIABLE = "COMPANYOS_PREPARED"
#: The file of a cluster that names the schemas with which it was prepared.
SCHEMAS = "companyos.schemas"
READABLE = 0o444
ENTERED = 0o111


@dataclass(frozen=True)
class Prepared:
    """One prepared folder, read-only for the containers that start from it."""

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

        Every user may read the copy, because it is not yet known which user will start from it.
        """
        target = self.template(major)
        shutil.copytree(cluster, target, symlinks=True)
        (target / SCHEMAS).write_text(schemas)
        for path in (target, *target.rglob("*")):
            path.chmod(path.stat().st_mode | READABLE | (ENTERED if path.is_dir() else 0))
