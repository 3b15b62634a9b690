"""Valkey (or Redis) for one home, on a Unix socket and without persistence."""

import socket
from pathlib import Path

from ..programs.children import Child
from .binaries import valkey_program


def start_valkey(path: Path, *, log: Path) -> Child:
    """Start the server on the Unix socket `path` and return without waiting; see `await_valkey`."""
    path.unlink(missing_ok=True)
    listen = ["--port", "0", "--unixsocket", str(path), "--unixsocketperm", "700"]
    forget = ["--save", "", "--appendonly", "no", "--dir", str(path.parent)]
    program = [str(valkey_program()), *listen, *forget]
    return Child("Valkey", program, log=log, ready=lambda: valkey_answers(path)).start()


def await_valkey(server: Child, path: Path) -> None:
    """Wait until the server answers a PING."""
    server.wait_until(lambda: valkey_answers(path))


def valkey_answers(path: Path) -> bool:
    """Return whether a server responds on the Unix socket `path`."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(1.0)
        try:
            connection.connect(str(path))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False
