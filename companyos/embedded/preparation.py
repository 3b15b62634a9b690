"""Fills the folder from which containers start (see `stores.prepared`) during the image build."""

from pathlib import Path
from tempfile import TemporaryDirectory

from .errors import Misuse
from .migration import migrate, schema_digest
from .server import process_names
from .stores.binaries import postgres_folder, postgres_major
from .stores.databases import start_databases
from .stores.identical import make_identical
from .stores.nameless import copy_for_nameless
from .stores.prepared import Prepared


def prepare(folder: Path) -> None:
    """Create `folder` with a cluster that has every schema, and with programs for a uid without a user name.

    The same code and programs give the same bytes.

    Raises:
        Misuse: The folder exists.
        StackError: A database program is missing or does not start.
    """
    if folder.exists():
        raise Misuse(f"{folder} exists. Name a folder that does not.")
    prepared = Prepared(folder)
    with TemporaryDirectory(prefix="companyos-") as home:
        # What a server does in the background, and when, differs from run to run and shows in the cluster; so does
        # what an earlier preparation left in it.
        with start_databases(Path(home), durable=True, autovacuum=False, from_prepared=False) as databases:
            # Roles have no passwords, because all containers of the image would share them.
            migrate(databases.admin_url, dict.fromkeys(process_names()))
        make_identical(databases.cluster)
        prepared.keep(databases.cluster, major=postgres_major(postgres_folder()), schemas=schema_digest())
    copy_for_nameless(postgres_folder(), prepared.programs)
