"""Where each process of a stack stands: the socket it accepts on and the settings it is given."""

import socket
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from .databases import Databases
from .home import Home
from .ports import listen
from .server import ORCHESTRATOR, default_port, service_names

LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Post:
    """What a worker needs: its name, what it serves, the socket it accepts on, its settings and its log.

    Replicas accept on one socket, so the kernel hands each connection to one that is free, and while one of them
    restarts the others take what comes.
    """

    name: str
    serves: str
    listener: socket.socket
    settings: Mapping[str, str]
    log: Path

    @property
    def url(self) -> str:
        """Where this machine reaches it."""
        host, port = self.listener.getsockname()[:2]
        host = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(host, host)  # noqa: S104 - compared, not bound
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def take_listeners(host: str, port: int | None) -> dict[str, socket.socket]:
    """Take every process's socket: the trainer door's, and those of the services on the loopback interface.

    Args:
        host: The address of the trainer door.
        port: The port of the trainer door; None takes 8000, or a free one when that is taken.

    Raises:
        StackError: The port that was asked for cannot be had.
    """
    door = listen(host, port or default_port(ORCHESTRATOR), exactly=port is not None)
    services = {name: listen(LOOPBACK, default_port(name), exactly=False) for name in service_names()}
    return {**services, ORCHESTRATOR: door}


def open_posts(
    home: Home, databases: Databases, listeners: Mapping[str, socket.socket], *, replicas: int = 1
) -> list[Post]:
    """Work out the settings of every process; the orchestrators, which are told of the others, come last."""
    services = [_post(home, databases, name, listeners[name]) for name in listeners if name != ORCHESTRATOR]
    addresses = ",".join(f"{post.name}={post.url}" for post in services)
    door = _post(home, databases, ORCHESTRATOR, listeners[ORCHESTRATOR], COMPANYOS_SERVICES=addresses)
    return [replica for post in (*services, door) for replica in _replicated(home, post, replicas)]


def _replicated(home: Home, post: Post, replicas: int) -> list[Post]:
    names = [post.name, *(f"{post.name}-{number}" for number in range(2, replicas + 1))]
    return [replace(post, name=name, log=home.log(name)) for name in names]


def _post(home: Home, databases: Databases, name: str, listener: socket.socket, **settings: str) -> Post:
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
    return Post(name, name, listener, settings, home.log(name))
