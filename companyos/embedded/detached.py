"""A stack in a process of its own: left running for everybody, or for as long as one caller needs it."""

import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from companyos import stackpath

from .children import POLL_S, Child, tail
from .errors import StackError
from .home import Home, Status

START_TIMEOUT_S = 60.0


def start_detached(
    home: Home, *, port: int | None = None, spawn: bool = False, replicas: int | None = None
) -> Status:
    """Start the stack in a process that outlives this one and return its status when it is ready.

    Whoever comes second while another starts the same home gets the same stack.

    Raises:
        StackError: It did not start; the message shows what it said.
    """
    home.create()
    options = [*(["--port", str(port)] if port else []), *(["--spawn"] if spawn else []), *_share(replicas)]
    with home.supervisor_log.open("ab") as output:
        supervisor = subprocess.Popen(
            _up(home, *options),
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=stackpath.environment(),
        )
    try:
        return await_status(home, lambda: supervisor.poll() is None)
    finally:
        # It outlives us on purpose, so nobody waits for it here.
        supervisor.returncode = supervisor.returncode or 0


@contextmanager
def running_stack(home: Home, *, replicas: int | None = None) -> Iterator[Status]:
    """Hand out the stack of this home while the body runs; one that had to be started ends with the body."""
    if running := home.status():
        yield running
        return
    home.create()
    command = _up(home, *_share(replicas))
    supervisor = Child("the stack", command, log=home.supervisor_log, env=stackpath.environment()).start()
    try:
        yield await_status(home, supervisor.alive)
    finally:
        supervisor.stop(timeout_s=START_TIMEOUT_S)


def await_status(home: Home, alive: Callable[[], bool]) -> Status:
    """Return the status of this home's stack as soon as it is ready, while `alive` holds or another starts it.

    Raises:
        StackError: It does not come; the message shows what it said.
    """
    deadline = time.monotonic() + START_TIMEOUT_S
    while (status := home.status()) is None:
        if not alive() and not home.is_taken():
            raise StackError(f"The stack did not start.\n{tail(home.supervisor_log)}")
        if time.monotonic() > deadline:
            raise StackError(
                f"The stack was not ready in {START_TIMEOUT_S:.0f} s; see {home.supervisor_log}."
            )
        time.sleep(POLL_S)
    return status


def _share(replicas: int | None) -> list[str]:
    return [] if replicas is None else ["--replicas", str(replicas)]


def _up(home: Home, *options: str) -> list[str]:
    return stackpath.program("up", "--home", str(home.path), *options)
