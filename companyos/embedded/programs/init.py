"""The duties of a container's first process: it reaps orphans and forwards signals."""

import os
import signal
import sys
from types import FrameType

PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
KILLED = 128


def leave_init_behind() -> None:
    """Fork, return in the copy, and serve as its init process in this one until the copy ends.

    This process then exits with the copy's exit code, or with 128 plus the number of the signal that killed
    it.
    """
    # Blocked until handlers are set: the kernel drops signals that process 1 does not handle.
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
