"""One piece of work done in a forked copy of this process, which leaves nothing of it in our memory."""

import os
import sys
from collections.abc import Callable
from pathlib import Path

from .children import describe_exit, tail
from .errors import StackError
from .processes import die_with_parent, set_title


class Errand:
    """A function that runs in a copy of this process from the moment it is made."""

    def __init__(self, name: str, work: Callable[[], object], log: Path) -> None:
        """Begin the work; what it says, also of its failure, goes to `log`."""
        self._name = name
        self._log = log
        self._pid = os.fork()
        if self._pid == 0:
            self._run(work)

    def finish(self) -> None:
        """Wait for the end of the work.

        Raises:
            StackError: It failed; the message shows the end of its log.
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
        except BaseException as failure:  # noqa: BLE001 - process boundary: the log is all that is left
            sys.excepthook(type(failure), failure, failure.__traceback__)
        finally:
            leave(code)


def write_to(log: Path) -> None:
    """Send what this process says to `log`, and give it nothing to read."""
    with log.open("ab") as output, Path(os.devnull).open("rb") as nothing:
        for source, target in ((nothing, 0), (output, 1), (output, 2)):
            os.dup2(source.fileno(), target)


def leave(code: int) -> None:
    """End a forked copy at once: it must not go on with what its parent's frames would do next."""
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)
