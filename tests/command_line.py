"""Runs of `companyos` in processes that are forked from one that has imported it, which spares each run seconds.

A stack that such a run leaves behind is forked too, from all that its processes import.
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from multiprocessing import get_context
from pathlib import Path
from pkgutil import iter_modules
from types import SimpleNamespace
from typing import IO

import scenarios
from companyos import cli
from companyos.embedded import detached
from companyos.embedded.server import factory_of, process_names
from companyos.sdk import stackpath

stackpath.enter()
_FORKING = get_context("forkserver")
_FORKING.set_forkserver_preload(
    [
        __name__,
        *(
            f"{package.__name__}.{module.name}"
            for package in (cli, scenarios)
            for module in iter_modules(package.__path__)
        ),
        *(factory_of(name).partition(":")[0] for name in process_names()),
    ]
)


def run(
    *arguments: str, folder: Path | None = None, typed: str = "", timeout_s: float = 170, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command to its end in a folder, with `typed` as its standard input, and return what it printed.

    Raises:
        subprocess.TimeoutExpired: It runs longer than `timeout_s`; it is killed.
    """
    with tempfile.TemporaryDirectory() as streams:
        given, out, err = (Path(streams, name) for name in ("in", "out", "err"))
        given.write_text(typed)
        process = _FORKING.Process(
            target=_play,
            args=(arguments, folder or Path.cwd(), stackpath.environment(**environment), (given, out, err)),
        )
        process.start()
        process.join(timeout_s)
        if process.exitcode is None:
            process.kill()
            process.join()
            raise subprocess.TimeoutExpired(["companyos", *arguments], timeout_s)
        return subprocess.CompletedProcess(
            ["companyos", *arguments], process.exitcode, out.read_text(), err.read_text()
        )


class ForkedStack:
    """A run of `companyos up` that outlives the run that began it; stands for its `subprocess.Popen`.

    Attributes:
        returncode: Its exit code, None while it is not known to have ended.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        stdin: int,
        stdout: IO[bytes],
        stderr: int,
        start_new_session: bool,
        env: Mapping[str, str],
    ) -> None:
        assert (stdin, stderr, start_new_session) == (subprocess.DEVNULL, subprocess.STDOUT, True)
        self.returncode: int | None = None
        sys.stdout.flush()
        self._pid = os.fork()
        if self._pid == 0:
            code = 1
            try:
                os.setsid()
                log = stdout.fileno()
                _become(
                    command[command.index("companyos") :], env, (os.open(os.devnull, os.O_RDONLY), log, log)
                )
                os.closerange(3, os.sysconf("SC_OPEN_MAX"))
                cli.main()
                code = 0
            except SystemExit as end:
                code = end.code if isinstance(end.code, int) else code
            finally:
                sys.stdout.flush()
                sys.stderr.flush()
                os._exit(code)

    def poll(self) -> int | None:
        """Return the exit code, or None while it runs."""
        if self.returncode is None:
            ended, status = os.waitpid(self._pid, os.WNOHANG)
            self.returncode = os.waitstatus_to_exitcode(status) if ended else None
        return self.returncode


def _play(
    arguments: Sequence[str], folder: Path, environment: Mapping[str, str], streams: tuple[Path, Path, Path]
) -> None:
    os.chdir(folder)
    given, out, err = (os.open(path, os.O_RDWR | os.O_CREAT) for path in streams)
    _become(["companyos", *arguments], environment, (given, out, err))
    names = {"Popen": ForkedStack, "DEVNULL": subprocess.DEVNULL, "STDOUT": subprocess.STDOUT}
    detached.subprocess = SimpleNamespace(**names)  # type: ignore[assignment, attr-defined]
    cli.main()


def _become(command: Sequence[str], environment: Mapping[str, str], streams: tuple[int, int, int]) -> None:
    """Give this process the arguments, environment and standard streams of a run."""
    os.environ.clear()
    os.environ.update(environment)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
    # The child of a fork server has standard streams of its own, which are no longer those of the process.
    sys.stdin = os.fdopen(0, closefd=False)
    sys.stdout, sys.stderr = (os.fdopen(number, "w", closefd=False) for number in (1, 2))
    sys.argv = list(command)
