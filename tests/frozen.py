"""A PostgreSQL that stands still: every one of its processes is stopped, and answers nothing until it goes on."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg


@contextmanager
def frozen_database(admin_url: str) -> Iterator[None]:
    """Stop every process of the server while the block runs."""
    server = _postmaster(admin_url)
    os.kill(server, signal.SIGSTOP)
    processes = [server, *_children(server)]
    for process in processes[1:]:
        _send(process, signal.SIGSTOP)
    try:
        yield
    finally:
        for process in reversed(processes):
            _send(process, signal.SIGCONT)


def _postmaster(admin_url: str) -> int:
    with psycopg.connect(admin_url) as connection:
        row = connection.execute("SELECT current_setting('data_directory')").fetchone()
    assert row is not None
    return int((Path(row[0]) / "postmaster.pid").read_text().split()[0])


def _children(parent: int) -> list[int]:
    listed = Path(f"/proc/{parent}/task/{parent}/children").read_text()
    return [int(child) for child in listed.split()]


def _send(process: int, number: int) -> None:
    try:
        os.kill(process, number)
    except ProcessLookupError:
        return
