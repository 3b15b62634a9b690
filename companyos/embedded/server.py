"""The server of every process: one uvicorn worker on uvloop, configured by the environment."""

import gc
import os
import signal
import socket
import sys
from collections.abc import Callable
from importlib import import_module, util
from pkgutil import iter_modules
from types import FrameType
from typing import TYPE_CHECKING, Any

from .errors import Misuse
from .listeners.descriptors import raise_limit, shares
from .ports import listen

if TYPE_CHECKING:
    from starlette.types import ASGIApp

    from .drain import Drain, Server
    from .listeners.connections import Listener

ORCHESTRATOR = "orchestrator"
#: The orchestrator's second listener, among the sockets of a stack.
AGENT_API = "agent_api"
AGENT_PORT = 8080
DRAIN_S = 10
GC_THRESHOLDS = (10_000, 50, 100)
#: How long a thread that generates a company keeps the interpreter while the event loop waits for it. With Python's
#: default of 5 ms, steps of other episodes wait that long at each of their turns.
SWITCH_S = 0.0005
ORDER = ("ticketdesk", "datahub", "approvalflow")


def service_names() -> list[str]:
    """Return the names of the services: every package of `services` with an `app` module, built-in ones first."""
    package = import_module("services")
    found = {module.name for module in iter_modules(package.__path__)}
    ordered = [*ORDER, *sorted(found.difference(ORDER))]
    return [name for name in ordered if name in found and util.find_spec(f"services.{name}.app")]


def process_names() -> list[str]:
    """Return the names that `companyos serve` accepts."""
    return [*service_names(), ORCHESTRATOR]


def default_port(name: str) -> int:
    """Return 8000 for the orchestrator and 8001, 8002, … for the services."""
    return 8000 if name == ORCHESTRATOR else 8001 + service_names().index(name)


def factory_of(name: str) -> str:
    """Return the import path of a process's ASGI factory.

    Raises:
        Misuse: The process is unknown.
    """
    if name not in process_names():
        raise Misuse(f"There is no process named {name}. Choose one of: {', '.join(process_names())}.")
    return f"{ORCHESTRATOR}.app:create_app" if name == ORCHESTRATOR else f"services.{name}.app:create_app"


def preload(name: str) -> None:
    """Import everything that process `name` needs, so forked copies start immediately."""
    import_module(factory_of(name).partition(":")[0])


def rest_the_collector() -> None:
    """Limit the garbage collector to young objects, and run it rarely.

    Imported modules live as long as the process, and requests create few reference cycles. Full collections
    over a company's rows would cost 5 % of every step.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def serve(
    name: str,
    listener: socket.socket | None = None,
    *,
    agent_listener: socket.socket | None = None,
    own_listener: socket.socket | None = None,
) -> None:
    """Serve one process until a SIGTERM, then drain (see `drain`) and return.

    Args:
        name: A service, or `orchestrator`.
        listener: The socket to accept on; without it COMPANYOS_HOST and COMPANYOS_PORT are bound.
        agent_listener: The socket of the orchestrator's agent API; without it COMPANYOS_AGENT_HOST and
            COMPANYOS_AGENT_PORT are bound.
        own_listener: A socket that no replica of the process accepts on, beside `listener`.

    Raises:
        Misuse: The process is unknown, or an address does not belong to this machine.
        StackError: The port of the agent API is not available.
    """
    _log_as(name)
    descriptors = raise_limit()
    _run(_server(name, agent_listener, descriptors), [*filter(None, (listener, own_listener))])


def serve_app(name: str, make: Callable[[], "ASGIApp"], listener: socket.socket) -> None:
    """Serve an application beside a stack as `serve` does a process: the same limits, the same log, the same end.

    Args:
        name: What the log calls it.
        make: Returns the application.
        listener: The socket to accept on.
    """
    from .drain import Drain

    _log_as(name)
    [limits] = _listeners(name, raise_limit())
    _run(_server_of(Drain(make), limits), [listener])


def _log_as(name: str) -> None:
    logs = import_module("companyos.chassis.web.logs")
    logs.log_everything(os.environ.get("COMPANYOS_LOG_LEVEL") or "info", name)


def _run(server: "Server", sockets: list[socket.socket]) -> None:
    rest_the_collector()
    sys.setswitchinterval(SWITCH_S)
    # uvicorn re-raises the signal that stopped it at its end, which would kill a process without a handler.
    signal.signal(signal.SIGTERM, _leave)
    try:
        server.run(sockets=sockets or None)
    finally:
        sys.stdout.flush()


def _server(name: str, agent_listener: socket.socket | None, descriptors: int) -> "Server":
    from .drain import Drain, SecondApp

    factory = factory_of(name)
    first = Drain(lambda: _made_by(factory))
    second = None
    limits, *others = _listeners(name, descriptors)
    if name == ORCHESTRATOR:
        agents = Drain(lambda: first.app.state.agent_api)
        second = SecondApp(agents, agent_listener or _agent_listener(), others[0])
    port = int(os.environ.get("COMPANYOS_PORT") or default_port(name))
    host = os.environ.get("COMPANYOS_HOST") or "127.0.0.1"
    return _server_of(first, limits, second=second, host=host, port=port)


def _server_of(first: "Drain", limits: "Listener", **options: Any) -> "Server":
    from .drain import Server

    return Server(
        first,
        limits,
        **options,
        loop="uvloop",
        access_log=False,
        # The process has its own form of lines, and its own level: at `debug` uvicorn would log headers, with tokens.
        log_config=None,
        log_level=None,
        server_header=False,
        proxy_headers=False,
        timeout_keep_alive=limits.times.idle_s,
        timeout_graceful_shutdown=DRAIN_S,
    )


def _listeners(name: str, descriptors: int) -> list["Listener"]:
    """Return the limits of each listener of a process; the trainer API comes before the agent API."""
    from .listeners.connections import Listener
    from .listeners.time_limits import TimeLimits

    # By name, because clients import this module to find a stack, and have no chassis.
    chosen = import_module("companyos.chassis.settings").ConnectionSettings()
    names = ["trainer_api", AGENT_API] if name == ORCHESTRATOR else [name]
    times = TimeLimits(chosen.head_s, chosen.body_s, chosen.keep_alive_s)
    most = shares(descriptors, chosen.max_connections, listeners=len(names))
    return [
        Listener(each, limit, chosen.max_connections, times) for each, limit in zip(names, most, strict=True)
    ]


def _agent_listener() -> socket.socket:
    host = os.environ.get("COMPANYOS_AGENT_HOST") or os.environ.get("COMPANYOS_HOST") or "127.0.0.1"
    port = int(os.environ.get("COMPANYOS_AGENT_PORT") or AGENT_PORT)
    listener = listen(host, port, exactly=True, setting="COMPANYOS_AGENT_PORT")
    # Port 0 selects a free port, which the URLs given to agents must contain.
    os.environ["COMPANYOS_AGENT_PORT"] = str(listener.getsockname()[1])
    return listener


def _made_by(factory: str) -> "ASGIApp":
    module, _, function = factory.partition(":")
    made: ASGIApp = getattr(import_module(module), function)()
    return made


def _leave(number: int, frame: FrameType | None) -> None:
    sys.exit(0)
