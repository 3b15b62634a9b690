"""Runs a stack in a separate process: in the background, or for as long as one caller needs it."""

import re
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from companyos.sdk import stackpath

from .errors import Misuse, StackError, full_disk
from .home import Home, Status
from .programs.children import POLL_S, Child, tail

STOP_TIMEOUT_S = 60.0
#: The prefix of the command line's error messages.
SPEAKER = "companyos"
FREE_PORTS = {"COMPANYOS_PORT": "0", "COMPANYOS_AGENT_PORT": "0"}


def start_detached(
    home: Home, *, port: int | None = None, spawn: bool = False, replicas: int | None = None
) -> Status:
    """Start the stack in a process that outlives this one, and return its status once it is ready.

    Concurrent calls for the same home share one stack.

    Raises:
        Misuse: An option or a setting is invalid.
        StackError: The stack did not start; the message shows its output.
    """
    home.create()
    output = RunOutput.of(home.supervisor_log)
    options = [
        *([] if port is None else ["--port", str(port)]),
        *(["--spawn"] if spawn else []),
        *_share(replicas),
    ]
    with home.supervisor_log.open("ab") as log:
        supervisor = subprocess.Popen(
            _up(home, *options),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            env=stackpath.environment(),
        )
    try:
        return await_status(home, supervisor.poll, output)
    finally:
        # The process outlives this one on purpose, so it is never waited for.
        supervisor.returncode = supervisor.returncode or 0


@contextmanager
def running_stack(
    home: Home, *, replicas: int | None = None, trainer_token: str | None = None
) -> Iterator[Status]:
    """Yield the status of this home's stack, started if necessary; a stack started here stops afterwards.

    It takes free ports, so that it never collides with a stack that was given COMPANYOS_PORT for itself.

    Args:
        home: Home of the stack.
        replicas: Processes of each service, if not as the settings say.
        trainer_token: The token of a stack that is started here, if not as the settings say.
    """
    if running := home.lasting():
        yield running
        return
    home.create()
    output = RunOutput.of(home.supervisor_log)
    command = _up(home, *_share(replicas))
    token = {"COMPANYOS_TRAINER_TOKEN": trainer_token} if trainer_token else {}
    env = stackpath.environment(**FREE_PORTS, **token)
    supervisor = Child("the stack", command, log=home.supervisor_log, env=env).start()
    try:
        yield await_status(home, supervisor.exit_code, output)
    finally:
        supervisor.stop(timeout_s=STOP_TIMEOUT_S)


@dataclass(frozen=True)
class RunOutput:
    """The output of one run in a log shared with earlier runs."""

    log: Path
    after: int

    @classmethod
    def of(cls, log: Path) -> "RunOutput":
        """Return the output of the run that starts now."""
        return cls(log, log.stat().st_size if log.exists() else 0)

    def last(self) -> str:
        """Return the command line's error message, or else the end of the output."""
        text = self.log.read_bytes()[self.after :].decode(errors="replace")
        error = re.search(rf"^{SPEAKER}: (.*)", text, re.MULTILINE | re.DOTALL)
        return error[1].strip() if error else f"The stack did not start.\n{tail(self.log, after=self.after)}"


def await_status(home: Home, exit_code: Callable[[], int | None], output: RunOutput) -> Status:
    """Wait until this home's stack is ready and return its status.

    Args:
        home: Home of the stack.
        exit_code: Returns the exit code of the starting process, None while it runs. Another process may be
            starting the same home.
        output: Output of the starting process.

    Raises:
        Misuse: An option or a setting is invalid.
        StackError: The stack did not start; the message shows its output.
    """
    # The starting process gives up by itself if a part of the stack makes no progress.
    while (status := home.lasting()) is None:
        if (code := exit_code()) is not None and not home.is_taken():
            raise _failure(home, code, output)
        time.sleep(POLL_S)
    return status


def _failure(home: Home, code: int, output: RunOutput) -> StackError:
    # On a full disk the log may be empty.
    if full := full_disk(home.path):
        return StackError(full)
    kind = Misuse if code == Misuse.exit_code else StackError
    return kind(output.last())


def _share(replicas: int | None) -> list[str]:
    return [] if replicas is None else ["--replicas", str(replicas)]


def _up(home: Home, *options: str) -> list[str]:
    return stackpath.program("up", "--home", str(home.path), *options)
