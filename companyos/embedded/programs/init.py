"""What the first process of a container owes the others: it reaps orphans, and passes on the signals it gets."""

import os
import signal
import sys
from types import FrameType

PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
KILLED = 128


def leave_init_behind() -> None:
    """Return in a forked copy of this process, and let this process serve as its init until the copy ends.

    The process then exits with the copy's exit code, or with 128 plus the number of the signal that killed it.
    """
    # A signal that arrives before its handler is set would be lost: the kernel drops what a process 1 does not handle.
    signal.pthread_sigmask(signal.SIG_BLOCK, PASSED_ON)
    child = os.fork()
    if child:
        _pass_signals_on(child)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, PASSED_ON)
    if child:
        sys.exit(_reap_until_end_of(child))


def _pass_signals_on(child: int) -> None:
    def pass_on(number: int, frame: FrameType | None) -> None:
        os.kill(child, number)

    for number in PASSED_ON:
        signal.signal(number, pass_on)


def _reap_until_end_of(child: int) -> int:
    while True:
        ended, status = os.wait()
        if ended == child:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else KILLED - code
