"""The standard streams of a command, of which whoever started it may have closed some (`<&-`, a service manager)."""

import os
import sys
from typing import Final

#: Names of the streams, by the number of their descriptor.
STREAMS: Final = ("stdin", "stdout", "stderr")


def open_standard_streams() -> None:
    """Open the streams that are closed: nothing comes from them, and what is written to them is lost.

    Otherwise the next file or socket of the process would get their number, and with it what is printed.
    """
    for number, name in enumerate(STREAMS):
        if getattr(sys, name) is None:
            _open_nothing(number)
            mode = "w" if number else "r"
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def forget_output() -> None:
    """Lose what is still to be printed, which Python would try at its end and report as a failure of its own."""
    _open_nothing(1)


def _open_nothing(number: int) -> None:
    opened = os.open(os.devnull, os.O_RDWR)
    if opened != number:
        os.dup2(opened, number)
        os.close(opened)
