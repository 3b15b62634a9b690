"""Fills the folder from which containers start (see `stores.prepared`) during the image build."""

from pathlib import Path
from tempfile import TemporaryDirectory

from .errors import Misuse
from .migration import migrate, schema_digest
from .server import process_names
from .stores.binaries import postgres_folder, postgres_major
from .stores.databases import start_databases
from .stores.nameless import copy_for_nameless
from .stores.prepared import Prepared


def prepare(folder: Path) -> None:
    """Create `folder` with a cluster that has every schema, and with programs for a uid without a user name.

    Raises:
        Misuse: The folder exists.
        StackError: A database program is missing or does not start.
    """
    if folder.exists():
        raise Misuse(f"{folder} exists. Name a folder that does not.")
    prepared = Prepared(folder)
    with TemporaryDirectory(prefix="companyos-") as home:
        with start_databases(Path(home)) as databases:
            # Roles have no passwords, because all containers of the image would share them.
            migrate(databases.admin_url, dict.fromkeys(process_names()))
        prepared.keep(databases.cluster, major=postgres_major(postgres_folder()), schemas=schema_digest())
    copy_for_nameless(postgres_folder(), prepared.programs)
