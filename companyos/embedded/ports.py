"""Listening sockets, taken before a service starts: no port is lost between choosing and using it."""

import socket

from .errors import StackError

BACKLOG = 2048


def listen(host: str, port: int, *, exactly: bool) -> socket.socket:
    """Return a socket that listens on `port`, or on a free one unless it must be `exactly` that.

    Raises:
        StackError: The port, or the address, cannot be had.
    """
    try:
        return _listening(host, port)
    except OSError as error:
        if exactly:
            raise StackError(
                f"{host}:{port} cannot be had ({error.strerror}). Stop what uses it, or give another --port."
            ) from None
        return listen(host, 0, exactly=True)


def _listening(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen(BACKLOG)
    except BaseException:
        listener.close()
        raise
    return listener
