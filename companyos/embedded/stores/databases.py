"""PostgreSQL and Valkey for one home directory; both stop with this process."""

import fcntl
import os
import shutil
import time
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Self, TextIO

from ..errors import AlreadyRunning, StackError, is_disk_full
from ..programs.children import POLL_S, Child
from ..programs.processes import command_of
from .postgres import CONNECTIONS, DATABASE, SOCKET_PORT, SUPERUSER, Cluster, Tuning
from .prepared import SCHEMAS, Prepared
from .sockets import open_socket_folder
from .valkey import await_valkey, start_valkey

ORPHAN_TIMEOUT_S = 15.0


@dataclass
class Databases:
    """The two running servers of one home, as a context manager that stops them.

    `admin_url` is the superuser's URL of the database `companyos`, and `redis_url` that of Valkey, both over Unix
    sockets. `cluster` is PostgreSQL's data folder. `notices` holds messages for the user, for example that a
    cluster was set aside.
    """

    admin_url: str
    redis_url: str
    cluster: Path
    sockets: Path
    postgres: Child
    valkey: Child
    lock: TextIO
    notices: list[str] = field(default_factory=list)

    def role_url(self, role: str, password: str) -> str:
        """Return the database URL of an ordinary role."""
        return self.admin_url.replace(f"//{SUPERUSER}@", f"//{role}:{password}@")

    @property
    def schemas(self) -> str:
        """The digest of the schemas prepared with the cluster; empty if there are none or they changed."""
        file = self.cluster / SCHEMAS
        return file.read_text() if file.exists() else ""

    def forget_schemas(self) -> None:
        """Forget the digest, because the schemas are about to change."""
        (self.cluster / SCHEMAS).unlink(missing_ok=True)

    def stop(self) -> None:
        """Stop both servers and remove their sockets. PostgreSQL's data stays in the home."""
        self.valkey.stop()
        self.postgres.stop()
        shutil.rmtree(self.sockets, ignore_errors=True)
        self.lock.close()

    def forget(self) -> None:
        """Release the servers in a forked copy of the owner."""
        self.valkey.forget()
        self.postgres.forget()
        self.lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()


def start_databases(
    home: Path,
    *,
    durable: bool = False,
    tcp_port: int | None = None,
    connections: int = CONNECTIONS,
    autovacuum: bool = True,
    from_prepared: bool = True,
) -> Databases:
    """Start both servers for `home` and return once they respond.

    Args:
        home: Folder of the cluster, its template and the logs; created if missing.
        durable: Wait for the disk at every commit.
        tcp_port: Also listen on this port of 127.0.0.1, for roles with a password.
        connections: PostgreSQL's connection limit; values below the default are raised to it.
        autovacuum: Let the server clean up in the background.
        from_prepared: Copy a new cluster from the prepared folder, if the environment names one.

    Raises:
        AlreadyRunning: Another process runs the databases of this home.
        StackError: A program is missing or does not start; the message says what to do.
    """
    home = home.expanduser().absolute()
    (home / "logs").mkdir(parents=True, exist_ok=True)
    lock = _lock(home)
    try:
        tuning = Tuning(durable, tcp_port, max(connections, CONNECTIONS), autovacuum)
        return _start(Cluster.of(home, Prepared.given() if from_prepared else None), home, lock, tuning)
    except BaseException:
        lock.close()
        raise


def _start(cluster: Cluster, home: Path, lock: TextIO, tuning: Tuning) -> Databases:
    owner = os.geteuid() if cluster.identity.user is None else cluster.identity.user
    sockets = open_socket_folder(home, owner=owner)
    # The name is unique, because the server of a killed owner may still remove its own socket later.
    valkey_socket = sockets / f"valkey-{os.getpid()}.sock"
    valkey = start_valkey(valkey_socket, log=home / "logs" / "valkey.log")
    notices: list[str] = []
    try:
        postgres = _start_postgres(cluster, sockets, home, notices, tuning)
        await_valkey(valkey, valkey_socket)
    except BaseException:
        valkey.stop()
        raise
    port = f"&port={tuning.tcp_port}" if tuning.tcp_port not in (None, SOCKET_PORT) else ""
    admin_url = f"postgresql://{SUPERUSER}@/{DATABASE}?host={sockets}{port}"
    redis_url = f"unix://{valkey_socket}"
    return Databases(admin_url, redis_url, cluster.data, sockets, postgres, valkey, lock, notices)


def _start_postgres(cluster: Cluster, sockets: Path, home: Path, notices: list[str], tuning: Tuning) -> Child:
    _await_end_of_orphan(cluster)
    is_new = cluster.prepare()
    server = cluster.start(sockets, tuning, log=home / "logs" / "postgres.log")
    try:
        cluster.await_ready(server)
    except StackError as failure:
        server.stop()
        if is_new or is_disk_full(failure):
            raise
        notices.append(f"The old cluster did not start and was kept as {cluster.set_aside()}. {failure}")
        return _start_postgres(cluster, sockets, home, notices, tuning)
    except BaseException:
        server.stop()
        raise
    return server


def _await_end_of_orphan(cluster: Cluster) -> None:
    # After its owner was killed, its guard is stopping it, but closing the cluster takes a moment.
    deadline = time.monotonic() + ORPHAN_TIMEOUT_S
    while (pid := cluster.owner_pid()) and "postgres" in command_of(pid):
        if time.monotonic() > deadline:
            raise AlreadyRunning(f"PostgreSQL still runs on {cluster.data}. Stop it: kill -INT {pid}")
        time.sleep(POLL_S)


def _lock(home: Path) -> TextIO:
    lock = (home / "databases.lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        lock.close()
        raise AlreadyRunning(
            f"The databases of {home} already run. Stop them (`companyos down`), or choose another --home."
        ) from None
    return lock
