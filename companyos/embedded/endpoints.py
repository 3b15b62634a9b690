"""The endpoints of a stack's processes: listening sockets and settings."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from .home import Home
from .ports import listen
from .server import ORCHESTRATOR, default_port, service_names
from .stores.databases import Databases

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Endpoint:
    """A worker's name, service, listening socket, settings and log.

    Replicas accept on one socket, so the kernel hands each connection to a free replica, and the others cover for one
    that restarts.
    """

    name: str
    serves: str
    listener: socket.socket
    settings: Mapping[str, str]
    log: Path

    @property
    def url(self) -> str:
        """The URL of the endpoint on this machine."""
        host, port = self.listener.getsockname()[:2]
        host = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def take_listeners(host: str, port: int | None) -> dict[str, socket.socket]:
    """Open the socket of every process: the trainer API's, and the services' on the loopback interface.

    Args:
        host: Address of the trainer API.
        port: Port of the trainer API; None takes 8000, or a free one if that is taken.

    Raises:
        StackError: The requested port is not available.
    """
    door = listen(host, port or default_port(ORCHESTRATOR), exactly=port is not None)
    services = {name: listen(LOOPBACK, default_port(name), exactly=False) for name in service_names()}
    return {**services, ORCHESTRATOR: door}


def open_endpoints(
    home: Home, databases: Databases, listeners: Mapping[str, socket.socket], *, replicas: int = 1
) -> list[Endpoint]:
    """Build the endpoint of every process. The orchestrators come last, because they need the URLs of the others."""
    services = [
        _endpoint(home, databases, name, listeners[name]) for name in listeners if name != ORCHESTRATOR
    ]
    addresses = ",".join(f"{endpoint.name}={endpoint.url}" for endpoint in services)
    door = _endpoint(home, databases, ORCHESTRATOR, listeners[ORCHESTRATOR], COMPANYOS_SERVICES=addresses)
    return [replica for endpoint in (*services, door) for replica in _replicated(home, endpoint, replicas)]


def _replicated(home: Home, endpoint: Endpoint, replicas: int) -> list[Endpoint]:
    names = [endpoint.name, *(f"{endpoint.name}-{number}" for number in range(2, replicas + 1))]
    return [replace(endpoint, name=name, log=home.log(name)) for name in names]


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
    return Endpoint(name, name, listener, settings, home.log(name))
