"""The worker processes of a stack: forked from a parent that has imported everything, or spawned as programs.

Forked workers share the memory of all imports, so they start fast and have a small memory footprint. macOS
forbids forking a process that has used its frameworks, so there each worker is a separate program. Either
way, the worker accepts connections on a socket that outlives it: while it restarts, clients wait instead of
failing.
"""

import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from companyos.sdk import stackpath

from .endpoints import Endpoint
from .programs.children import POLL_S, Child, Guard, describe_exit
from .programs.forked_job import leave, write_to
from .programs.probes import is_alive
from .programs.processes import continue_all, die_with_parent, is_stopped, set_title
from .server import serve

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGCHLD)
#: How long the supervisor waits for the answer of a worker that may still be starting.
PROBE_S = 0.2


class Kept(Protocol):
    """A process that is restarted when it exits."""

    name: str
    log: Path

    @property
    def pid(self) -> int:
        """The current process id."""

    def start(self) -> object:
        """Start or restart the process."""

    def alive(self) -> bool:
        """Return whether the process runs."""

    def ask_to_stop(self) -> None:
        """Ask the process to finish pending work and exit."""

    def stop(self, *, timeout_s: float = 10.0) -> None:
        """Stop the process, killing it after the timeout."""

    def forget(self) -> None:
        """Release the process in a forked copy of the owner."""

    def how_it_ended(self) -> str:
        """Describe how the last run ended."""

    def is_ready(self) -> bool:
        """Return whether the process answers."""

    def is_stopped(self) -> bool:
        """Return whether a signal keeps the process, or one of its own, from running."""

    def is_leaving(self) -> bool:
        """Return whether the process is shutting down."""

    def free(self) -> None:
        """Continue the process if it is stopped, or else end it, more forcefully each time."""


def spawned(endpoint: Endpoint) -> Child:
    """Return a worker that runs `python -m companyos serve <service>` on the endpoint's socket."""
    kept = {use: listener.fileno() for use, listener in endpoint.listeners.items()}
    options = [text for use, number in kept.items() for text in (f"--{use}", str(number))]
    return Child(
        endpoint.name,
        stackpath.program("serve", endpoint.serves, *options),
        log=endpoint.log,
        env=stackpath.environment(**endpoint.settings),
        keeps=tuple(kept.values()),
        ready=lambda: is_alive(endpoint.url, timeout_s=PROBE_S),
    )


class Forked:
    """A worker that is a forked copy of this process."""

    def __init__(self, endpoint: Endpoint, *, let_go: Callable[[Endpoint], None]) -> None:
        """Configure the worker. In the copy, `let_go(endpoint)` releases unneeded resources."""
        self.name = endpoint.name
        self.log = endpoint.log
        self._endpoint = endpoint
        self._let_go = let_go
        self._pid = 0
        self._status: int | None = 0
        self._guard: Guard | None = None

    @property
    def pid(self) -> int:
        """The current process id."""
        return self._pid

    def start(self) -> None:
        """Fork the worker, or fork it again."""
        self._dismiss_guard()
        parent = os.getpid()
        gc.collect()
        gc.freeze()
        self._pid = os.fork()
        if self._pid == 0:
            self._live(parent)
        self._status = None
        try:
            self._guard = Guard(self._pid, signal.SIGKILL)
        except OSError:
            self.stop(timeout_s=0)
            raise

    def alive(self) -> bool:
        """Return whether the worker runs."""
        if self._status is None:
            reaped, status = os.waitpid(self._pid, os.WNOHANG)
            self._status = status if reaped else None
        return self._status is None

    def ask_to_stop(self) -> None:
        """Ask the worker to finish pending requests and exit."""
        if self.alive():
            os.kill(self._pid, signal.SIGTERM)

    def stop(self, *, timeout_s: float = 10.0) -> None:
        """Stop the worker after its pending requests, killing it after the timeout."""
        self.ask_to_stop()
        deadline = time.monotonic() + timeout_s
        while self.alive() and time.monotonic() < deadline:
            time.sleep(POLL_S)
        if self.alive():
            os.kill(self._pid, signal.SIGKILL)
            self._status = os.waitpid(self._pid, 0)[1]
        self._dismiss_guard()

    def forget(self) -> None:
        """Release the guard in a forked copy of the owner."""
        if self._guard:
            self._guard.forget()

    def how_it_ended(self) -> str:
        """Describe how the last run ended."""
        return describe_exit(os.waitstatus_to_exitcode(self._status or 0))

    def is_ready(self) -> bool:
        """Return whether the worker, or a replica of it, answers."""
        return is_alive(self._endpoint.url, timeout_s=PROBE_S)

    def is_stopped(self) -> bool:
        """Return whether a signal keeps the worker from running."""
        return self.alive() and is_stopped(self._pid)

    def is_leaving(self) -> bool:
        """Return False: a worker that drains ends by itself in time (see `drain`)."""
        return False

    def free(self) -> None:
        """Continue the worker."""
        continue_all(self._pid)

    def _dismiss_guard(self) -> None:
        if self._guard:
            self._guard.dismiss()
            self._guard = None

    def _live(self, parent: int) -> None:
        code = 1
        try:
            self._become(parent)
            endpoint = self._endpoint
            serve(
                endpoint.serves,
                endpoint.listener,
                agent_listener=endpoint.agent_listener,
                own_listener=endpoint.own_listener,
            )
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except BaseException as failure:  # noqa: BLE001 - process boundary: only the log remains
            sys.excepthook(type(failure), failure, failure.__traceback__)
        finally:
            leave(code)

    def _become(self, parent: int) -> None:
        os.setsid()
        die_with_parent()
        if os.getppid() != parent:
            os._exit(1)
        signal.set_wakeup_fd(-1)
        for number in SIGNALS:
            signal.signal(number, signal.SIG_DFL)
        set_title(f"cos-{self.name}")
        self._let_go(self._endpoint)
        write_to(self.log)
        os.environ.update(self._endpoint.settings)
