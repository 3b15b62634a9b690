"""The Compose stack that the end-to-end tests share; they skip only where there is no engine and none is demanded."""

import os
import shutil
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest

from companyos.embedded.server import service_names
from docs.generate.per_service import with_services
from tests.families import SOME
from tests.scenarios.logs import Log, played

from .compose import ROOT, Stack, copy_tree, docker, engine_answers, new_stack, running

TOKEN = "the-trainers-token-of-this-test"
#: The service that one stack has beside the product's, and the image with it.
FOURTH, IMAGE = "notebook", "companyos:with-a-fourth-service"
#: A level at which agents can still cope, and the worst.
LEVELS = (3, 5)
FIRST_SEED = 700
HEALTHY_AFTER_S = pytest.StashKey[float]()


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say how long the stack took, so that a slower one is seen before a test fails of it."""
    seconds = terminalreporter.config.stash.get(HEALTHY_AFTER_S, None)
    if seconds is not None:
        terminalreporter.write_line(f"The Compose stack was healthy after {seconds:.1f} s.")


@pytest.fixture(scope="session")
def engine() -> None:
    """A Docker engine. `COMPANYOS_E2E=required` turns its absence into a failure."""
    if engine_answers():
        return
    if os.environ.get("COMPANYOS_E2E") == "required":
        pytest.fail("a Docker engine is required here and none answers")
    pytest.skip("no Docker engine answers")


@pytest.fixture(scope="session")
def stack(engine: None, request: pytest.FixtureRequest) -> Iterator[Stack]:
    """The shared stack."""
    shared = new_stack("e2e")
    with running(shared) as healthy_after_s:
        request.config.stash[HEALTHY_AFTER_S] = healthy_after_s
        yield shared


@pytest.fixture(scope="session")
def guarded(engine: None, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """A stack with a trainer token, that waits for the disk at every commit, and has one more service."""
    tree = copy_tree(tmp_path_factory.mktemp("guarded"))
    add_service(tree)
    stack = new_stack(
        "guarded",
        tree=tree,
        COMPANYOS_TRAINER_TOKEN=TOKEN,
        COMPANYOS_DURABILITY="full",
        COMPANYOS_IMAGE=IMAGE,
    )
    with running(stack):
        yield stack
    docker("image", "rm", IMAGE)


def add_service(tree: Path) -> None:
    """Put the fourth service's folder into a tree, and write its compose file as `python -m docs.generate` does."""
    package, compose = tree / "services" / FOURTH, tree / "docker-compose.yml"
    package.mkdir()
    (package / "__init__.py").touch()
    shutil.copyfile(ROOT / "tests/services/chassis/notebook.py", package / "app.py")
    compose.write_text(with_services(compose.read_text(), [*service_names(), FOURTH]))


@pytest.fixture(scope="session")
async def stormy(stack: Stack) -> list[Log]:
    """What the oracles do on the shared stack in each scenario at two levels of chaos."""
    settings = product(SOME, LEVELS)
    cases = [Log(name, FIRST_SEED + number, level) for number, (name, level) in enumerate(settings)]
    return await played(stack.url, cases, at_once=4)
