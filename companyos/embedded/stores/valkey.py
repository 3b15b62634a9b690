"""Valkey (or Redis) for one home, on a Unix socket and without persistence."""

import re
import socket
import subprocess
from pathlib import Path

from ..programs.children import Child
from .binaries import valkey_program

#: The first version of Valkey whose log can have dates as in ISO 8601.
DATED = (8, 1)


def start_valkey(path: Path, *, log: Path) -> Child:
    """Start the server on the Unix socket `path` and return without waiting; see `await_valkey`."""
    path.unlink(missing_ok=True)
    listen = ["--port", "0", "--unixsocket", str(path), "--unixsocketperm", "700"]
    forget = ["--save", "", "--appendonly", "no", "--dir", str(path.parent)]
    program = valkey_program()
    dated = ["--log-timestamp-format", "iso8601"] if dates_its_log(program) else []
    command = [str(program), *listen, *forget, *dated]
    return Child("Valkey", command, log=log, ready=lambda: valkey_answers(path)).start()


def dates_its_log(program: Path) -> bool:
    """Return whether the server can date its log as all others do: Redis cannot, nor Valkey before 8.1."""
    output = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    version = re.match(r"Valkey server v=(\d+)\.(\d+)", output)
    return version is not None and (int(version[1]), int(version[2])) >= DATED


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
