"""The Compose stack that the end-to-end tests share; they skip only where there is no engine and none is demanded."""

import os
from collections.abc import Iterator
from itertools import product

import pytest

from tests.families import SOME
from tests.scenarios.logs import Log, played

from .compose import Stack, engine_answers, new_stack, running

TOKEN = "the-trainers-token-of-this-test"
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
def guarded(engine: None) -> Iterator[Stack]:
    """A stack with a trainer token, that waits for the disk at every commit."""
    stack = new_stack("guarded", COMPANYOS_TRAINER_TOKEN=TOKEN, COMPANYOS_DURABILITY="full")
    with running(stack):
        yield stack


@pytest.fixture(scope="session")
async def stormy(stack: Stack) -> list[Log]:
    """What the oracles do on the shared stack in each scenario at two levels of chaos."""
    settings = product(SOME, LEVELS)
    cases = [Log(name, FIRST_SEED + number, level) for number, (name, level) in enumerate(settings)]
    return await played(stack.url, cases, at_once=4)
