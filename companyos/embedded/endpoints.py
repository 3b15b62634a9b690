"""The endpoints of a stack's processes: listening sockets and settings."""

import socket
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from .home import Home
from .ports import listen
from .server import AGENT_API, AGENT_PORT, ORCHESTRATOR, default_port, service_names
from .stores.databases import Databases

LOOPBACK = "127.0.0.1"
AGENT_PORT_SETTING = "COMPANYOS_AGENT_PORT"
KNOWN_AGENT_PORT_SETTING = (
    f"{AGENT_PORT_SETTING}. Agents may know this one from an earlier start; 0 takes any that is free"
)


@dataclass(frozen=True)
class Endpoint:
    """A worker's name, service, listening sockets, settings and log.

    Replicas share one listening socket, so the kernel hands each connection to a free replica, and the others
    serve while one restarts. `own_listener` is the process's alone: there its metrics are never those of a replica.
    """

    name: str
    serves: str
    listener: socket.socket
    settings: Mapping[str, str]
    log: Path
    own_listener: socket.socket
    agent_listener: socket.socket | None = None

    @property
    def url(self) -> str:
        """The URL of the endpoint on this machine."""
        return url_of(self.listener)

    @property
    def metrics_url(self) -> str:
        """The URL of this process's metrics."""
        return f"{url_of(self.own_listener)}/metrics"

    @property
    def listeners(self) -> dict[str, socket.socket]:
        """The listening sockets, by what they are for."""
        found = {"fd": self.listener, "own-fd": self.own_listener, "agent-fd": self.agent_listener}
        return {use: listener for use, listener in found.items() if listener is not None}


def url_of(listener: socket.socket) -> str:
    """Return the URL of a listening socket on this machine."""
    host, port = listener.getsockname()[:2]
    host = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def take_listeners(
    host: str,
    port: int | None,
    agent_host: str | None = None,
    agent_port: int | None = None,
    *,
    known_agent_port: int | None = None,
) -> dict[str, socket.socket]:
    """Open the sockets of the trainer API, of the agent API and, on the loopback interface, of the services.

    Args:
        host: Address of the trainer API.
        port: Port of the trainer API; 0 takes any free one, and None 8000, or a free one if that is taken.
        agent_host: Address of the agent API; None takes that of the trainer API.
        agent_port: Port of the agent API; 0 takes any free one, and None that of the home's earlier starts or, at
            the first start, 8080, or a free one if that is taken.
        known_agent_port: Port of the earlier starts, which agents may know.

    Raises:
        StackError: A requested or known port is not available.
    """
    kept_port = known_agent_port if agent_port is None else agent_port
    with ExitStack() as undo:
        trainers = listen(
            host, default_port(ORCHESTRATOR) if port is None else port, exactly=port is not None
        )
        undo.callback(trainers.close)
        agents = listen(
            agent_host or host,
            AGENT_PORT if kept_port is None else kept_port,
            exactly=kept_port is not None,
            setting=AGENT_PORT_SETTING if agent_port is not None else KNOWN_AGENT_PORT_SETTING,
            address="COMPANYOS_AGENT_HOST" if agent_host else "COMPANYOS_HOST",
        )
        undo.pop_all()
    services = {name: listen(LOOPBACK, default_port(name), exactly=False) for name in service_names()}
    return {**services, ORCHESTRATOR: trainers, AGENT_API: agents}


def open_endpoints(
    home: Home, databases: Databases, listeners: Mapping[str, socket.socket], *, replicas: int = 1
) -> list[Endpoint]:
    """Build the endpoint of every process. The orchestrators come last, because they need the URLs of the others."""
    own = (ORCHESTRATOR, AGENT_API)
    services = [_endpoint(home, databases, name, listeners[name]) for name in listeners if name not in own]
    agent_host, agent_port = listeners[AGENT_API].getsockname()[:2]
    orchestrator = _endpoint(
        home,
        databases,
        ORCHESTRATOR,
        listeners[ORCHESTRATOR],
        COMPANYOS_SERVICES=",".join(f"{endpoint.name}={endpoint.url}" for endpoint in services),
        COMPANYOS_AGENT_HOST=agent_host,
        COMPANYOS_AGENT_PORT=str(agent_port),
    )
    orchestrator = replace(orchestrator, agent_listener=listeners[AGENT_API])
    return [
        replica for endpoint in (*services, orchestrator) for replica in _replicated(home, endpoint, replicas)
    ]


def _replicated(home: Home, endpoint: Endpoint, replicas: int) -> list[Endpoint]:
    names = [f"{endpoint.name}-{number}" for number in range(2, replicas + 1)]
    others = [
        replace(endpoint, name=name, log=home.log(name), own_listener=_own_listener()) for name in names
    ]
    return [endpoint, *others]


def _own_listener() -> socket.socket:
    return listen(LOOPBACK, 0, exactly=True)


def _endpoint(
    home: Home, databases: Databases, name: str, listener: socket.socket, **settings: str
) -> Endpoint:
    secrets = home.secrets([name, "context_key", "admin_token"])
    host, port = listener.getsockname()[:2]
    settings |= {
        "COMPANYOS_DATABASE_URL": databases.role_url(name, secrets[name]),
        "COMPANYOS_REDIS_URL": databases.redis_url,
        "COMPANYOS_CONTEXT_KEY": secrets["context_key"],
        "COMPANYOS_ADMIN_TOKEN": secrets["admin_token"],
        "COMPANYOS_HOST": host,
        "COMPANYOS_PORT": str(port),
    }
    return Endpoint(name, name, listener, settings, home.log(name), _own_listener())
