"""How every process of ours serves: one uvicorn worker on uvloop, settings from the environment."""

import gc
import os
import signal
import socket
import sys
from importlib import import_module, util
from pkgutil import iter_modules
from types import FrameType
from typing import TYPE_CHECKING

from .errors import StackError

if TYPE_CHECKING:
    from starlette.types import ASGIApp

ORCHESTRATOR = "orchestrator"
DRAIN_S = 10
KEEP_ALIVE_S = 75
GC_THRESHOLDS = (10_000, 50, 100)
ORDER = ("ticketdesk", "datahub", "approvalflow")


def service_names() -> list[str]:
    """Return the names of the services: every package of `services` that has an `app` module, ours first."""
    package = import_module("services")
    found = {module.name for module in iter_modules(package.__path__)}
    ordered = [*ORDER, *sorted(found.difference(ORDER))]
    return [name for name in ordered if name in found and util.find_spec(f"services.{name}.app")]


def process_names() -> list[str]:
    """Return what `companyos serve` can serve."""
    return [*service_names(), ORCHESTRATOR]


def default_port(name: str) -> int:
    """Return 8000 for the orchestrator and 8001, 8002, … for the services."""
    return 8000 if name == ORCHESTRATOR else 8001 + service_names().index(name)


def factory_of(name: str) -> str:
    """Return the place of the ASGI factory of a process.

    Raises:
        StackError: There is no process of that name.
    """
    if name not in process_names():
        raise StackError(f"There is no process named {name}. Choose one of: {', '.join(process_names())}.")
    return f"{ORCHESTRATOR}.app:create_app" if name == ORCHESTRATOR else f"services.{name}.app:create_app"


def preload(name: str) -> None:
    """Import everything the process `name` needs, so that copies of this one start at once."""
    import_module(factory_of(name).partition(":")[0])


def rest_the_collector() -> None:
    """Let the garbage collector look at young objects only, and seldom.

    What is imported lives as long as the process, and requests leave few cycles behind; going over a company of
    rows in memory again and again cost a twentieth of every step.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def serve(name: str, listener: socket.socket | None = None) -> None:
    """Serve one process until a SIGTERM, then drain (see `drain`) and return.

    Args:
        name: A service, or `orchestrator`.
        listener: The socket to accept on; without it COMPANYOS_HOST and COMPANYOS_PORT are bound.

    Raises:
        StackError: There is no process of that name.
    """
    from .drain import Drain, Server

    factory = factory_of(name)
    server = Server(
        Drain(lambda: _made_by(factory)),
        host=os.environ.get("COMPANYOS_HOST") or "127.0.0.1",
        port=int(os.environ.get("COMPANYOS_PORT") or default_port(name)),
        loop="uvloop",
        http="httptools",
        log_level=os.environ.get("COMPANYOS_LOG_LEVEL") or "info",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=DRAIN_S,
    )
    rest_the_collector()
    # uvicorn raises the signal that stopped it once more at its end; without this the process would die of it.
    signal.signal(signal.SIGTERM, _leave)
    try:
        server.run(sockets=[listener] if listener else None)
    finally:
        sys.stdout.flush()


def _made_by(factory: str) -> "ASGIApp":
    module, _, function = factory.partition(":")
    made: ASGIApp = getattr(import_module(module), function)()
    return made


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(0)
