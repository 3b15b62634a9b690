"""Records each statement handed to psycopg once, with the line of ours that sent it, in a file of its process.

A statement is on disk before it is sent, so a process that is killed has told of it. What tests send themselves is
not recorded: they look behind the walls on purpose.
"""

import functools
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

#: Names the folder of a test process' recording; what that process starts inherits it.
FOLDER = "RECORDED_STATEMENTS"

ROOT = Path(__file__).parents[2]
TESTS = str(ROOT / "tests")
DRIVER = str(ROOT / "companyos" / "chassis" / "postgres" / "prepared.py")
METHODS = ("execute", "executemany", "stream", "copy")

_seen: set[str] = set()


def install() -> None:
    """Wrap the cursors of psycopg, once in a process."""
    import psycopg

    for cursor in (psycopg.Cursor, psycopg.AsyncCursor, psycopg.ServerCursor, psycopg.AsyncServerCursor):
        for name in METHODS:
            method = vars(cursor).get(name)
            if method is not None and not getattr(method, "records", False):
                setattr(cursor, name, _recorded(method))


def install_prepared() -> None:
    """Wrap the connections that take statements past the cursors, once in a process."""
    from companyos.chassis.postgres.prepared import Connection

    if not getattr(Connection.together, "records", False):
        Connection.together = _recorded_together(Connection.together)  # type: ignore[method-assign]


def _recorded_together(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def send(self: Any, *calls: Any) -> Any:
        for text, _ in calls:
            if text not in _seen:
                _notice(text)
        return method(self, *calls)

    send.records = True  # type: ignore[attr-defined]
    return send


def _recorded(method: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(method)
    def send(self: Any, query: Any, *arguments: Any, **options: Any) -> Any:
        text = query if type(query) is str else _text(query)
        if text not in _seen:
            _notice(text)
        return method(self, query, *arguments, **options)

    send.records = True  # type: ignore[attr-defined]
    return send


def _notice(text: str) -> None:
    folder, sender = os.environ.get(FOLDER), _sender()
    if folder is None or sender.startswith(TESTS):
        return
    _seen.add(text)
    line = json.dumps({"text": text, "sender": sender.removeprefix(f"{ROOT}{os.sep}")})
    with Path(folder, f"{os.getpid()}.jsonl").open("a", encoding="utf-8") as file:
        file.write(f"{line}\n")


def _sender() -> str:
    """Return the nearest line of ours below the driver, or nothing where all of it is installed code.

    A line of a test counts only if no line of the product is further out: some tests wrap the product's methods.
    """
    frame, of_test = sys._getframe(2), ""
    while frame is not None:
        name = frame.f_code.co_filename
        if name not in (__file__, DRIVER) and name.startswith(str(ROOT)) and "site-packages" not in name:
            if not name.startswith(TESTS):
                return f"{name}:{frame.f_lineno}"
            of_test = of_test or f"{name}:{frame.f_lineno}"
        frame = frame.f_back  # type: ignore[assignment]
    return of_test


def _text(query: Any) -> str:
    return query.decode() if isinstance(query, bytes) else str(query.as_string(None))
