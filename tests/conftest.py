"""Fixtures of the whole suite: one embedded PostgreSQL and Valkey per process, with recorded statements."""

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from companyos.embedded.preparation import prepare
from companyos.embedded.server import rest_the_collector
from companyos.embedded.stores.prepared import VARIABLE
from tests.live_services import TestDatabases, databases_in

from .sizes import FULL, size
from .statements.recording import offenses, recording

# No deadline, so that a slow machine fails no test. Examples are fixed and few, except in a proof, which looks for
# new ones.
settings.register_profile("companyos", deadline=None, derandomize=not FULL, max_examples=size(40, 200))
settings.load_profile("companyos")


def pytest_configure(config: pytest.Config) -> None:
    """Prepare one cluster from which the stacks of a whole run start, as containers do; it spares each some seconds."""
    if hasattr(config, "workerinput") or not config.getoption("numprocesses", None) or VARIABLE in os.environ:
        return
    folder = Path(tempfile.mkdtemp(prefix="companyos-"))
    config.add_cleanup(lambda: shutil.rmtree(folder, ignore_errors=True))
    prepare(folder / "prepared")
    os.environ[VARIABLE] = str(folder / "prepared")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Refuse ids that are written from sets: each process orders them otherwise, and then finds other tests.

    Raises:
        pytest.UsageError: A test has such an id.
    """
    for item in items:
        values = (
            item.callspec.params.values()
            if isinstance(item, pytest.Function) and hasattr(item, "callspec")
            else ()
        )
        sets = [each for each in values if isinstance(each, set | frozenset) and len(each) > 1]
        if any(str(each) in item.name for each in sets):
            raise pytest.UsageError(
                f"{item.nodeid} is named after a set, whose order differs between processes"
            )


def pytest_collection_finish() -> None:
    """Keep the collector from the tests themselves, as a service keeps it from its modules.

    A full collection over a million of objects stops the services that this process serves for seconds.
    """
    rest_the_collector()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Name each test that failed in a short line at the very end, where a log that was cut still shows it."""
    for report in (*terminalreporter.getreports("failed"), *terminalreporter.getreports("error")):
        crash = getattr(report.longrepr, "reprcrash", None)
        reason = crash.message.partition("\n")[0][:120] if crash else ""
        terminalreporter.write_line(f"FAILED {report.nodeid} {reason}")


@pytest.fixture(scope="session", autouse=True)
def statements(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The recording of this test process; one statement that leaves its layers open fails the run at its end."""
    folder = tmp_path_factory.mktemp("statements")
    with recording(folder):
        yield folder
    assert offenses(folder) == []


@pytest.fixture(scope="session")
def databases(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestDatabases]:
    """A PostgreSQL and a Valkey, real ones, shared by the tests of this process."""
    cached = os.environ.get("COMPANYOS_TEST_HOME")
    home = (
        Path(cached) / os.environ.get("PYTEST_XDIST_WORKER", "main")
        if cached
        else tmp_path_factory.mktemp("home")
    )
    with databases_in(home) as started:
        yield started


@pytest.fixture(scope="module", autouse=True)
def stopped_clusters_removed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Remove the clusters that stopped with a module's fixtures: each takes over 100 MB, and a run makes dozens."""
    yield
    remove_stopped_clusters(tmp_path_factory.getbasetemp())


def remove_stopped_clusters(folder: Path) -> None:
    """Remove every PostgreSQL cluster in a home in this folder on which no server runs."""
    for version in folder.glob("*/postgres-*/PG_VERSION"):
        if not (version.parent / "postmaster.pid").exists():
            shutil.rmtree(version.parent, ignore_errors=True)
