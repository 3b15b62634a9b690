"""Runs one function in a forked copy of this process, so its memory is freed afterwards."""

import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..errors import StackError
from .children import describe_exit, opened_log, tail
from .processes import die_with_parent, set_title


class ForkedJob:
    """A function that runs in a forked copy of this process, started on construction."""

    def __init__(self, name: str, work: Callable[[], object], log: Path) -> None:
        """Start the job. Its output, including errors, goes to `log`."""
        self._name = name
        self._log = log
        self._pid = os.fork()
        if self._pid == 0:
            self._run(work)

    def finish(self) -> None:
        """Wait until the job is done.

        Raises:
            StackError: The job failed; the message shows the end of its log.
        """
        code = os.waitstatus_to_exitcode(os.waitpid(self._pid, 0)[1])
        if code:
            raise StackError(f"{self._name} {describe_exit(code)}.\n{tail(self._log)}")

    def _run(self, work: Callable[[], object]) -> None:
        code = 1
        try:
            die_with_parent()
            set_title(f"cos-{self._name}")
            write_to(self._log)
            work()
            code = 0
        except BaseException as failure:  # noqa: BLE001 - process boundary: only the log remains
            sys.excepthook(type(failure), failure, failure.__traceback__)
        finally:
            leave(code)


def write_to(log: Path) -> None:
    """Redirect this process's output to `log` and its input to nothing; a log that cannot be opened is none."""
    with Path(os.devnull).open("rb") as nothing, opened_log(log) as output:
        for source, target in ((nothing, 0), (output, 1), (output, 2)):
            os.dup2(source.fileno(), target)


def leave(code: int) -> None:
    """End a forked copy immediately, so that it never returns into its parent's frames."""
    with suppress(OSError):
        sys.stdout.flush()
        sys.stderr.flush()
    os._exit(code)
