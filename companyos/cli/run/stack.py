"""The stack that a run plays on. An agent that is a program gets one whose trainer API only the run can open."""

import secrets
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from companyos.client import CompanyosError
from companyos.embedded.detached import running_stack
from companyos.embedded.home import Home
from companyos.evaluation.runs.connection import TrainerConnection

from ..demo import trainer_stack
from ..output import tell_other_code

#: Kinds of agents that can send requests of their own to any port of this machine.
PROGRAMS: Final = frozenset({"command", "python", "mcp"})


@dataclass(frozen=True)
class TrainerAddress:
    """A trainer API and its token.

    Attributes:
        is_ours: Whether it runs on this machine with the settings of this command.
    """

    url: str
    token: str | None
    is_ours: bool


@contextmanager
def stack_for(kind: str, home: Path | None, url: str | None, token: str | None) -> Iterator[TrainerAddress]:
    """Yield the trainer API for an agent of this kind: that at `url`, or that of a stack on this machine."""
    if url is None and token is None and kind in PROGRAMS:
        with _protected_stack(Home.at(home)) as address:
            yield address
    else:
        with trainer_stack(home, url, token) as (found, key):
            yield TrainerAddress(found, key, is_ours=url is None)


async def is_open(url: str) -> bool:
    """Return whether anybody who reaches a trainer API can use it."""
    async with TrainerConnection(url) as anybody:
        try:
            await anybody.get("/scenarios")
        except CompanyosError:
            return False
    return True


@contextmanager
def _protected_stack(home: Home) -> Iterator[TrainerAddress]:
    """Yield the home's stack if it has a token, or else a new one with a token, in a folder of its own if need be."""
    running = home.lasting()
    with ExitStack() as folders:
        if running and not running.trainer_token:
            folder = folders.enter_context(TemporaryDirectory(prefix="companyos-run-"))
            home = Home(Path(folder))
        with running_stack(home, trainer_token=secrets.token_urlsafe(32)) as stack:
            tell_other_code(stack)
            yield TrainerAddress(stack.url, stack.trainer_token, is_ours=True)
