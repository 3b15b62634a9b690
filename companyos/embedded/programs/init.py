"""The duties of a container's first process: it reaps orphans and forwards signals."""

import os
import signal
import sys

PASSED_ON = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT, signal.SIGUSR1, signal.SIGUSR2)
KILLED = 128
_AWAITED = (*PASSED_ON, signal.SIGCHLD)


def leave_init_behind() -> None:
    """Fork, return in the copy, and serve as its init process in this one until the copy ends.

    This process then exits with the copy's exit code, or with 128 plus the number of the signal that killed
    it.
    """
    # Signals stay blocked in this process and are waited for. A handler would run too late for one that arrives just
    # before a wait, and the kernel drops those that process 1 neither blocks nor handles.
    signal.pthread_sigmask(signal.SIG_BLOCK, _AWAITED)
    child = os.fork()
    if child:
        sys.exit(_serve_until_end_of(child))
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _AWAITED)


def _serve_until_end_of(child: int) -> int:
    """Pass signals on to the child and reap whatever ends, until the child does; return its exit code."""
    while True:
        number = signal.sigwait(_AWAITED)
        if number != signal.SIGCHLD:
            os.kill(child, number)
            continue
        # Children that end together can send one signal.
        ended = -1
        while ended:
            ended, status = os.waitpid(-1, os.WNOHANG)
            if ended == child:
                code = os.waitstatus_to_exitcode(status)
                return code if code >= 0 else KILLED - code
