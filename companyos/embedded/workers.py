"""The processes of ours that a stack keeps alive: forked from the importing parent, or spawned as programs.

A fork shares everything that was imported with its siblings, which makes it quick and small. macOS forbids
forks of a process that has used its frameworks, so there each worker is a program of its own. Either way the
worker accepts on a socket that outlives it: while it restarts, callers wait instead of failing.
"""

import gc
import os
import signal
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Protocol

from companyos import stackpath

from .children import POLL_S, Child, Guard, describe_exit
from .errand import leave, write_to
from .posts import Post
from .processes import die_with_parent, set_title
from .server import serve

SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGCHLD)


class Kept(Protocol):
    """Something that runs and is started again when it ends."""

    name: str
    log: Path

    @property
    def pid(self) -> int:
        """The process id of its present life."""

    def start(self) -> object:
        """Start it, or start it again."""

    def alive(self) -> bool:
        """Tell whether it runs."""

    def ask_to_stop(self) -> None:
        """Ask it to finish what is under way and end."""

    def stop(self, *, timeout_s: float = 10.0) -> None:
        """Ask it to end, and insist when it does not."""

    def forget(self) -> None:
        """Let go of it in a forked copy of the process that owns it."""

    def how_it_ended(self) -> str:
        """Say in words how its last life ended."""


def spawned(post: Post) -> Child:
    """Return a worker that is a program: `python -m companyos serve <service>` on the socket we hand it."""
    listener = post.listener.fileno()
    argv = stackpath.program("serve", post.serves, "--fd", str(listener))
    return Child(post.name, argv, log=post.log, env=stackpath.environment(**post.settings), keeps=(listener,))


class Forked:
    """A worker that is a copy of this process."""

    def __init__(self, post: Post, *, let_go: Callable[[str], None]) -> None:
        """Describe the worker; in the copy, `let_go(serves)` releases what it has no use for."""
        self.name = post.name
        self.log = post.log
        self._post = post
        self._let_go = let_go
        self._pid = 0
        self._status: int | None = 0
        self._guard: Guard | None = None

    @property
    def pid(self) -> int:
        """The process id of its present life."""
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
        self._guard = Guard(self._pid, signal.SIGKILL)

    def alive(self) -> bool:
        """Tell whether the worker runs."""
        if self._status is None:
            reaped, status = os.waitpid(self._pid, os.WNOHANG)
            self._status = status if reaped else None
        return self._status is None

    def ask_to_stop(self) -> None:
        """Have it finish the requests under way and end."""
        if self.alive():
            os.kill(self._pid, signal.SIGTERM)

    def stop(self, *, timeout_s: float = 10.0) -> None:
        """Have it finish the requests under way and end, and insist when it does not."""
        self.ask_to_stop()
        deadline = time.monotonic() + timeout_s
        while self.alive() and time.monotonic() < deadline:
            time.sleep(POLL_S)
        if self.alive():
            os.kill(self._pid, signal.SIGKILL)
            self._status = os.waitpid(self._pid, 0)[1]
        self._dismiss_guard()

    def forget(self) -> None:
        """Let go of the guard in a forked copy of the process that owns it."""
        if self._guard:
            self._guard.forget()

    def how_it_ended(self) -> str:
        """Say in words how its last life ended."""
        return describe_exit(os.waitstatus_to_exitcode(self._status or 0))

    def _dismiss_guard(self) -> None:
        if self._guard:
            self._guard.dismiss()
            self._guard = None

    def _live(self, parent: int) -> None:
        code = 1
        try:
            self._become(parent)
            serve(self._post.serves, self._post.listener)
            code = 0
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 1
        except BaseException as failure:  # noqa: BLE001 - process boundary: the log is all that is left
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
        self._let_go(self._post.serves)
        write_to(self.log)
        os.environ.update(self._post.settings)
