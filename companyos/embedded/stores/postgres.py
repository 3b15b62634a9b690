"""PostgreSQL for one home: a cluster on a Unix socket, copied from a template that is created once.

A cluster that fails to start is renamed, never deleted, and replaced by a new one.
"""

import os
import shutil
import signal
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ..errors import StackError
from ..programs.children import Child
from ..programs.processes import IS_LINUX
from .binaries import postgres_folder, postgres_major
from .identity import Identity, postgres_identity
from .prepared import Prepared

DATABASE = "companyos"
SUPERUSER = "postgres"
SOCKET_PORT = 5432
CONNECTIONS = 120
INITDB = (
    f"--username={SUPERUSER}",
    "--encoding=UTF8",
    "--locale-provider=builtin",
    "--locale=C.UTF-8",
    "--auth-local=trust",
    "--auth-host=scram-sha-256",
    "--no-sync",
    "--no-instructions",
)
SETTINGS = {
    "fsync": "on",
    "wal_level": "minimal",
    "max_wal_senders": "0",
    "max_logical_replication_workers": "0",
    "shared_buffers": "64MB",
    "checkpoint_timeout": "15min",
    "wal_init_zero": "off",
    # Hundreds of worlds per second are created and deleted, and only vacuuming makes their space reusable.
    "autovacuum_naptime": "5s",
    "autovacuum_vacuum_scale_factor": "0.05",
    "max_parallel_workers_per_gather": "0",
    "jit": "off",
    "huge_pages": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_line_prefix": "%m postgres[%p] ",
    # A message is one line with a date: without its detail and statement, which have lines of their own and hold values
    # of episodes.
    "log_error_verbosity": "terse",
    "log_min_error_statement": "panic",
    "unix_socket_permissions": "0700",
    # When one of its processes crashes, the supervisor starts the server anew. A server that does it itself, on a disk
    # that is still full, can end up without its startup process, and then waits for it for ever.
    "restart_after_crash": "off",
}


#: Bounds of the write-ahead log in megabytes, and the divisor that limits it to a share of the free space.
LEAST_WAL_MB, MOST_WAL_MB, WAL_SHARE = 128, 1024, 8


@dataclass(frozen=True)
class Tuning:
    """Options of a server: durability, an additional TCP port, the connection limit, and background cleaning."""

    durable: bool = False
    tcp_port: int | None = None
    connections: int = CONNECTIONS
    autovacuum: bool = True


@dataclass(frozen=True)
class Cluster:
    """The programs, paths and identity of one home's cluster."""

    programs: Path
    major: int
    identity: Identity
    home: Path
    source: Prepared | None

    @classmethod
    def of(cls, home: Path, source: Prepared | None) -> "Cluster":
        """Locate the programs and choose the identity to run them as; `source` may hold a cluster to copy."""
        identity = postgres_identity()
        programs = identity.reach(postgres_folder(), home)
        return cls(programs, postgres_major(programs), identity, home, source)

    @property
    def data(self) -> Path:
        """The cluster's folder; each major version of PostgreSQL has its own."""
        return self.identity.place(self.home) / f"postgres-{self.major}"

    @property
    def template(self) -> Path:
        """The empty cluster, with the database created, from which new clusters are copied."""
        return self.identity.place(self.home) / f"template-{self.major}"

    @property
    def prepared(self) -> Path | None:
        """The cluster prepared for containers, if there is one; it has every schema."""
        template = self.source.template(self.major) if self.source else None
        return template if template and template.exists() else None

    def prepare(self) -> bool:
        """Create the cluster if it does not exist; return whether it is new."""
        if self.data.exists():
            return False
        if self.prepared is None and not self.template.exists():
            self._make_template()
        _copy(self.prepared or self.template, self.data)
        self.data.chmod(0o700)
        self.identity.own(self.data)
        return True

    def set_aside(self) -> Path:
        """Rename a cluster that does not start and return its new path."""
        taken = {path.name for path in self.data.parent.iterdir()}
        names = (f"{self.data.name}.broken-{n}" for n in range(1, len(taken) + 2))
        return self.data.rename(self.data.with_name(next(name for name in names if name not in taken)))

    def start(self, sockets: Path, tuning: Tuning, *, log: Path) -> Child:
        """Start the server and return without waiting; see `await_ready`."""
        settings = {
            **SETTINGS,
            "synchronous_commit": "on" if tuning.durable else "off",
            "autovacuum": "on" if tuning.autovacuum else "off",
            "max_wal_size": f"{wal_limit_mb(shutil.disk_usage(self.data).free)}MB",
            "max_connections": str(tuning.connections),
            "unix_socket_directories": str(sockets),
            "listen_addresses": "127.0.0.1" if tuning.tcp_port else "",
            "port": str(tuning.tcp_port or SOCKET_PORT),
        }
        if IS_LINUX:
            # Syncs the whole file system at once: syncing file by file adds seconds to crash recovery.
            settings["recovery_init_sync_method"] = "syncfs"
        if self.major >= 18:
            settings["io_method"] = "sync"
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        argv = [*self.identity.prefix, str(self.programs / "postgres"), "-D", str(self.data), *options]
        server = Child(
            "PostgreSQL",
            argv,
            log=log,
            stop=signal.SIGINT,
            user=self.identity.user,
            ready=lambda: self._state() == "ready",
            leaving=lambda: self._state() == "stopping",
        )
        return server.start()

    def await_ready(self, server: Child) -> None:
        """Wait until the server accepts connections."""
        server.wait_until(lambda: self._is_ready(server.pid))

    def owner_pid(self) -> int | None:
        """Return the process id of an earlier server that still owns the cluster, if any."""
        lines = self._pid_file()
        return int(lines[0]) if lines else None

    def _is_ready(self, pid: int) -> bool:
        return self._pid_file()[:1] == [str(pid)] and self._state() == "ready"

    def _state(self) -> str:
        """Return what the server says of itself: starting, ready or stopping."""
        return "".join(self._pid_file()[7:8])

    def _pid_file(self) -> list[str]:
        try:
            return [line.strip() for line in (self.data / "postmaster.pid").read_text().splitlines()]
        except FileNotFoundError:
            return []

    def _make_template(self) -> None:
        unfinished = self.template.with_name(f"{self.template.name}.making-{os.getpid()}")
        shutil.rmtree(unfinished, ignore_errors=True)
        self._run("initdb", "-D", str(unfinished), *INITDB)
        statement = f"CREATE DATABASE {DATABASE}\n"
        self._run("postgres", "--single", "-D", str(unfinished), "postgres", typed=statement)
        unfinished.rename(self.template)

    def _run(self, program: str, *arguments: str, typed: str = "") -> None:
        user = {} if self.identity.user is None else {"user": self.identity.user, "group": self.identity.user}
        done = subprocess.run(
            [*self.identity.prefix, self.programs / program, *arguments],
            input=typed,
            capture_output=True,
            text=True,
            **user,  # type: ignore[call-overload]
        )
        if done.returncode != 0:
            output = (done.stderr or done.stdout).strip()
            raise StackError(f"{program} failed for {self.home}:\n{output}")


def _copy(template: Path, target: Path) -> None:
    unfinished = target.with_name(f"{target.name}.copying-{os.getpid()}")
    shutil.rmtree(unfinished, ignore_errors=True)
    # Modes do not matter inside a private folder, and copying them takes as long as the content.
    shutil.copytree(template, unfinished, symlinks=True, copy_function=shutil.copyfile)
    unfinished.rename(target)


def wal_limit_mb(free_bytes: int) -> int:
    """Return how large the write-ahead log may grow on a disk, which in a container is often in memory."""
    return max(LEAST_WAL_MB, min(MOST_WAL_MB, free_bytes // WAL_SHARE // 2**20))
