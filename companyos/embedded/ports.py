"""Listening sockets, opened before a service starts so that no other process can take a chosen port."""

import errno
import socket

from .errors import Misuse, StackError
from .programs.port_holders import holder_of

BACKLOG = 2048


def listen(
    host: str, port: int, *, exactly: bool, setting: str = "--port", address: str = "COMPANYOS_HOST"
) -> socket.socket:
    """Return a socket that listens on `port`, or on a free one if `port` is taken and `exactly` is False.

    Args:
        host: The address.
        port: The port; 0 selects any free one.
        exactly: Whether only this port is acceptable.
        setting: The option or setting that chooses the port, for the error message.
        address: The setting that chooses the address, for the same.

    Raises:
        Misuse: The address does not belong to this machine.
        StackError: The port is not available.
    """
    try:
        return _listening(host, port)
    except OSError as error:
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            raise Misuse(f"{address} is {host}. Allowed: an address of this machine.") from None
        if exactly:
            why = "; ".join(filter(None, (error.strerror, holder_of(port))))
            raise StackError(
                f"{host}:{port} is not available ({why}). Stop what uses it, or choose another {setting}."
            ) from None
        return listen(host, 0, exactly=True, address=address)


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
