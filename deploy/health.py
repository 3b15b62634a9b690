"""Health check of a container: exits 0 when the URL answers 200.

It runs every second in each container of a stack that starts, so it uses a plain socket: an interpreter with `-I -S`
takes about 15 ms for that, and importing an HTTP client would take five times as long.
"""

import socket
import sys


def is_healthy(url: str) -> bool:
    """Return whether `url` (http://HOST:PORT/PATH) answers with status 200 within two seconds."""
    address, _, path = url.removeprefix("http://").partition("/")
    host, _, port = address.partition(":")
    try:
        with socket.create_connection((host, int(port)), timeout=2) as connection:
            connection.sendall(f"GET /{path} HTTP/1.0\r\nHost: {address}\r\n\r\n".encode())
            status_line = connection.makefile("rb").readline()
    except OSError:
        return False
    return status_line.split()[1:2] == [b"200"]


if __name__ == "__main__":
    sys.exit(0 if is_healthy(sys.argv[1]) else 1)
