"""Where each process of a stack stands: the socket it accepts on and the settings it is given."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from .databases import Databases
from .home import Home
from .ports import listen
from .server import ORCHESTRATOR, default_port, service_names

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Post:
    """What a worker needs: its name, the socket it accepts on, its settings and its log."""

    name: str
    listener: socket.socket
    settings: Mapping[str, str]
    log: Path

    @property
    def url(self) -> str:
        """Where this machine reaches it."""
        host, port = self.listener.getsockname()[:2]
        host = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def open_posts(home: Home, databases: Databases, host: str, port: int | None) -> list[Post]:
    """Take every process's socket and work out its settings; the orchestrator comes last.

    Args:
        home: The home of the stack, which knows its secrets.
        databases: The running databases.
        host: The address of the trainer door; the services are on the loopback interface.
        port: The port of the trainer door; None takes 8000, or a free one when that is taken.
    """
    services = [_post(home, databases, name, LOOPBACK, None) for name in service_names()]
    addresses = ",".join(f"{post.name}={post.url}" for post in services)
    door = _post(home, databases, ORCHESTRATOR, host, port, COMPANYOS_SERVICES=addresses)
    return [*services, door]


def _post(home: Home, databases: Databases, name: str, host: str, port: int | None, **settings: str) -> Post:
    listener = listen(host, port or default_port(name), exactly=port is not None)
    secrets = home.secrets([name, "context_key", "admin_token"])
    settings |= {
        "COMPANYOS_DATABASE_URL": databases.role_url(name, secrets[name]),
        "COMPANYOS_REDIS_URL": databases.redis_url,
        "COMPANYOS_CONTEXT_KEY": secrets["context_key"],
        "COMPANYOS_ADMIN_TOKEN": secrets["admin_token"],
        "COMPANYOS_HOST": host,
        "COMPANYOS_PORT": str(listener.getsockname()[1]),
    }
    return Post(name, listener, settings, home.log(name))
