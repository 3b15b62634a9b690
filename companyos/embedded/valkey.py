"""Valkey (or Redis) for one home: a Unix socket, nothing written to disk."""

import socket
from pathlib import Path

from .binaries import valkey_program
from .children import Child

START_TIMEOUT_S = 10.0


def start_valkey(path: Path, *, log: Path) -> Child:
    """Start the server on the Unix socket `path` and return it at once; see `await_valkey`."""
    path.unlink(missing_ok=True)
    listen = ["--port", "0", "--unixsocket", str(path), "--unixsocketperm", "700"]
    forget = ["--save", "", "--appendonly", "no", "--dir", str(path.parent)]
    return Child("Valkey", [str(valkey_program()), *listen, *forget], log=log).start()


def await_valkey(server: Child, path: Path) -> None:
    """Wait until the server answers a PING."""
    server.wait_until(lambda: _answers(path), timeout_s=START_TIMEOUT_S)


def _answers(path: Path) -> bool:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(1.0)
        try:
            connection.connect(str(path))
            connection.sendall(b"PING\r\n")
            return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False
