"""The log of one process: every line is one JSON object on standard error, with time, level and process.

Lines that belong to a request carry its id; lines that belong to an episode, its id, its step and its world. The
orchestrator passes them to the services in a header beside the signed context, so that one search finds all of them.
"""

import json
import logging
import os
import re
import secrets
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import TracebackType
from typing import Any, Final

import structlog
from structlog.contextvars import bind_contextvars, get_contextvars
from structlog.types import EventDict, Processor

#: The header in which a caller may name its request, and a response's log lines can be found by.
REQUEST_HEADER: Final = "x-request-id"
#: The header in which the orchestrator tells a service what the lines of a call belong to.
SUBJECT_HEADER: Final = "x-companyos-log"
_SUBJECTS: Final = ("request", "episode", "step")
_REQUEST_ID: Final = re.compile(r"[\w.:/-]{1,128}", re.ASCII)
#: Libraries that come with handlers of their own.
_LIBRARIES: Final = ("uvicorn", "uvicorn.error", "uvicorn.access", "alembic", "asyncio")

_process: dict[str, Any] = {"process": "", "pid": 0}


def configure_logs(level: str) -> None:
    """Log our own messages of this level and above to standard error."""
    structlog.configure(
        processors=[structlog.contextvars.merge_contextvars, *_shared(), structlog.processors.JSONRenderer()],
        wrapper_class=structlog.make_filtering_bound_logger(_number(level)),
        # Resolved for every line, because the previous `sys.stderr` may be closed.
        logger_factory=lambda *_: _Lines(),
        cache_logger_on_first_use=False,
    )


def log_everything(level: str, process: str) -> None:
    """Have this process log in the same form what libraries say, warnings, and exceptions that nobody caught."""
    _process.update(process=process, pid=os.getpid())
    configure_logs(level)
    handler = _Handler()
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.contextvars.merge_contextvars, *_shared()],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.JSONRenderer(),
            ],
        )
    )
    logging.root.handlers = [handler]
    logging.root.setLevel(max(_number(level), logging.INFO))
    for name in _LIBRARIES:
        logging.getLogger(name).handlers.clear()
        logging.getLogger(name).propagate = True
    logging.getLogger("uvicorn.error").addFilter(_without_queries)
    logging.captureWarnings(True)
    sys.excepthook = _log_uncaught
    threading.excepthook = lambda failure: _log_uncaught(
        failure.exc_type, failure.exc_value, failure.exc_traceback
    )


def bind_request(given: str) -> None:
    """Have the lines of this task carry the caller's id of its request, or a new one if it is none."""
    bind_contextvars(request=given if _REQUEST_ID.fullmatch(given) else secrets.token_hex(8))


def subject() -> str:
    """Return what this task's lines belong to, as the value of `SUBJECT_HEADER`."""
    bound = get_contextvars()
    return json.dumps({name: bound[name] for name in _SUBJECTS if name in bound})


def bind_subject(header: str, **more: Any) -> None:
    """Have the lines of this task carry what the caller's lines belong to; the header decides nothing else."""
    given: Any = None
    with suppress(ValueError):
        given = json.loads(header)
    known = {name: given[name] for name in _SUBJECTS if name in given} if isinstance(given, dict) else {}
    bind_contextvars(**known, **more)


class _Lines:
    """Writes each message as a line. A full disk costs the line, and never the request that it belongs to."""

    def msg(self, message: str) -> None:
        with suppress(OSError, ValueError):
            sys.stderr.write(f"{message}\n")
            sys.stderr.flush()

    log = debug = info = warn = warning = error = critical = exception = fatal = failure = err = msg


class _Handler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        try:
            _Lines().msg(self.format(record))
        except Exception:  # noqa: BLE001 - a record that cannot be formatted must not end what logged it
            self.handleError(record)


def _without_queries(record: logging.LogRecord) -> bool:
    """Cut the queries off the URLs of WebSockets, which the server logs: a client may have put its token there."""
    if isinstance(record.args, tuple):
        record.args = tuple(part.partition("?")[0] if isinstance(part, str) else part for part in record.args)
    return True


def _shared() -> list[Processor]:
    return [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso"),
        _add_process,
        structlog.processors.format_exc_info,
    ]


def _add_process(_logger: Any, _method: str, event: EventDict) -> Mapping[str, Any]:
    if _process["process"]:
        event.update(_process)
    return event


def _number(level: str) -> int:
    return logging.getLevelNamesMapping()[level.upper()]


def _log_uncaught(
    kind: type[BaseException], failure: BaseException | None, trace: TracebackType | None
) -> None:
    log: Callable[..., None] = structlog.get_logger(__name__).critical
    log("uncaught_exception", exc_info=(kind, failure, trace))
