"""The home directory of a stack: its lock, logs, secrets and status file."""

import fcntl
import json
import os
import secrets
import time
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import urlsplit

from companyos.sdk.stackpath import ROOT

from .errors import AlreadyRunning, DiskFull, Misuse, StackError, is_disk_full
from .programs.children import POLL_S
from .programs.processes import is_same, start_mark
from .server import ORCHESTRATOR

DEFAULT_HOME = Path("~/.companyos")
#: Size of the status file, reserved so that it can be rewritten on a full disk.
STATUS_BYTES = 16384


@dataclass(frozen=True)
class Process:
    """A process of a running stack: its id and start mark (see `start_mark`)."""

    name: str
    pid: int
    mark: str

    @classmethod
    def of(cls, name: str, pid: int) -> "Process":
        """Describe a running process."""
        return cls(name, pid, start_mark(pid) or "")

    def runs(self) -> bool:
        """Return whether the id still belongs to this process."""
        return is_same(self.pid, self.mark)


@dataclass(frozen=True)
class Status:
    """The published status of a running stack: its processes and addresses.

    `addresses` holds one URL per name: each service, `orchestrator`, `postgres` (as superuser) and `redis`.
    `agent_url` is the URL of the agent API. `settings` holds the settings given by the environment, with
    secrets replaced by digests. `trouble` says what keeps the stack from being whole; empty if nothing does.
    `metrics` holds the URL of each process's metrics, and `code` the folder of the code that it runs. A stack that is
    `stopping` finishes what is under way, and takes nothing new.
    """

    supervisor: Process
    addresses: dict[str, str]
    processes: list[Process] = field(default_factory=list)
    version: str = ""
    trainer_token: str | None = field(default=None, repr=False)
    agent_url: str = ""
    settings: dict[str, str] = field(default_factory=dict)
    trouble: str = ""
    metrics: dict[str, str] = field(default_factory=dict)
    code: str = ""
    stopping: bool = False

    @property
    def other_code(self) -> str:
        """A sentence that says so where the stack runs code of another place than this process; else empty."""
        if self.code in ("", str(ROOT)):
            return ""
        return (
            f"This stack runs the code in {self.code}, not that in {ROOT}. "
            "Stop it (`companyos down`), or choose another home (COMPANYOS_HOME)."
        )

    @property
    def url(self) -> str:
        """URL of the trainer API."""
        return self.addresses["orchestrator"]

    @property
    def replicas(self) -> int:
        """Number of processes of each service and of the orchestrator."""
        return sum(process.name.partition("-")[0] == ORCHESTRATOR for process in self.processes)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Status":
        """Parse the output of `Home.publish`."""
        supervisor, *processes = (Process(**each) for each in [values["supervisor"], *values["processes"]])
        # A stack of a later version may have more to say.
        known = {each.name: values[each.name] for each in fields(cls) if each.name in values}
        return cls(**{**known, "supervisor": supervisor, "processes": processes})


@dataclass(frozen=True)
class Home:
    """One home directory; at most one stack runs in it."""

    path: Path

    @classmethod
    def at(cls, path: Path | None) -> "Home":
        """Return the home at `path`, at COMPANYOS_HOME, or at ~/.companyos.

        Raises:
            Misuse: The path is not UTF-8, or begins with a user's home directory that cannot be found.
        """
        chosen = path or Path(os.environ.get("COMPANYOS_HOME") or DEFAULT_HOME)
        try:
            home = chosen.expanduser().absolute()
            str(home).encode()
            return cls(home)
        except UnicodeEncodeError:
            raise Misuse(f"The name {str(chosen)!a} is not UTF-8. Choose another --home.") from None
        except RuntimeError:
            raise Misuse(f"{chosen} is not known. Give --home, or set COMPANYOS_HOME or HOME.") from None

    @property
    def status_file(self) -> Path:
        """The stack's processes and addresses; readable by the owner only."""
        return self.path / "stack.json"

    @property
    def supervisor_log(self) -> Path:
        """The log of a stack that runs in the background."""
        return self.path / "stack.log"

    @property
    def token_file(self) -> Path:
        """The generated trainer token of `companyos up --token`; readable by the owner only."""
        return self.path / "trainer_token"

    @property
    def targets_file(self) -> Path:
        """The processes whose metrics Prometheus collects."""
        return self.path / "prometheus.json"

    def log(self, name: str) -> Path:
        """Return the path of a process's log."""
        return self.path / "logs" / f"{name}.log"

    @property
    def agent_port(self) -> int | None:
        """The port that the agent API took at earlier starts that chose none, which agents may still know."""
        try:
            return int(self._agent_port_file.read_text())
        except (OSError, ValueError):
            return None

    def keep_agent_port(self, port: int) -> None:
        """Remember the port of the agent API for the next start."""
        self._write(self._agent_port_file, str(port))

    @property
    def _agent_port_file(self) -> Path:
        return self.path / "agent_port"

    def logs(self) -> list[Path]:
        """Return every log of the current run."""
        return [self.supervisor_log, *(self.path / "logs").glob("*.log")]

    def create(self) -> None:
        """Create the directory if it does not exist, accessible to its owner only.

        Raises:
            Misuse: The directory cannot be created or used.
            DiskFull: The disk is full.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            (self.path / "logs").mkdir(exist_ok=True)
        except OSError as error:
            if is_disk_full(error):
                raise DiskFull(self.path) from None
            raise Misuse(f"{self.path} cannot be used ({error.strerror}). Choose another --home.") from None
        if not os.access(self.path, os.W_OK | os.X_OK):
            raise Misuse(f"{self.path} cannot be written to. Choose another --home.")

    def lock(self) -> TextIO:
        """Lock the home for this process until the returned file is closed, once a stack that is stopping is gone.

        Raises:
            AlreadyRunning: Another process holds the lock.
        """
        lock, waits = self._open_lock(), True
        while not _is_locked_by(lock):
            if not waits:
                lock.close()
                raise AlreadyRunning(
                    f"A stack already runs in {self.path}. Stop it (`companyos down`), or choose another --home."
                )
            # Asked before the last try, because a stack withdraws its status just before it lets the lock go.
            waits = self.is_stopping()
            time.sleep(POLL_S)
        return lock

    def is_taken(self) -> bool:
        """Return whether a stack is running, starting or stopping in this home."""
        with self._open_lock() as lock:
            return not _is_locked_by(lock)

    def _open_lock(self) -> TextIO:
        self.create()
        return (self.path / "stack.lock").open("w")

    def keep_old_logs(self) -> None:
        """Start new logs, keeping those of the previous run."""
        for log in (self.path / "logs").glob("*.log"):
            log.rename(log.with_suffix(".log.old"))

    def recorded(self) -> Status | None:
        """Return the last published status, whether or not that stack still runs."""
        try:
            return Status.from_json(json.loads(self.status_file.read_text()))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def status(self) -> Status | None:
        """Return the status of the running stack, or None if none runs."""
        found = self.recorded()
        return found if found and found.supervisor.runs() else None

    def is_stopping(self) -> bool:
        """Return whether the stack that runs here is about to stop."""
        return (running := self.status()) is not None and running.stopping

    def lasting(self) -> Status | None:
        """Return the status of the running stack, or None if none runs or it is stopping."""
        running = self.status()
        return None if running is None or running.stopping else running

    def publish(self, status: Status) -> None:
        """Write the status file atomically or, where nothing can be created, in the space that it has.

        Raises:
            OSError: It cannot be written at all; an earlier status stays.
        """
        text = json.dumps(asdict(status), indent=1).ljust(STATUS_BYTES)
        try:
            self._write(self.status_file, text)
        except (OSError, StackError):
            with self.status_file.open("r+b") as file:
                file.write(text.encode())

    def write_targets(self, metrics: Mapping[str, str], cell: str) -> None:
        """Write the file in which Prometheus finds the processes (`file_sd_configs`), given the URLs of their metrics.

        Their ports change with every start, their names do not, so an `instance` is a name. A stack alone is no `cell`.
        """
        of_all = {"cell": cell} if cell else {}
        targets = [
            {"targets": [urlsplit(url).netloc], "labels": {"instance": name, **of_all}}
            for name, url in metrics.items()
        ]
        self._write(self.targets_file, json.dumps(targets, indent=1))

    def withdraw(self) -> None:
        """Remove the status file."""
        self.status_file.unlink(missing_ok=True)

    def secrets(self, names: list[str]) -> dict[str, str]:
        """Return a random secret per name, which stays the same for every start in this home."""
        path = self.path / "secrets.json"
        known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
        missing = {name: secrets.token_urlsafe(32) for name in names if name not in known}
        if missing:
            self._write(path, json.dumps(known | missing, indent=1))
        return {name: (known | missing)[name] for name in names}

    def trainer_token(self) -> str:
        """Return the generated trainer token of this home, which only its owner can read, and keep it in a file."""
        token = self.secrets(["trainer_token"])["trainer_token"]
        self._write(self.token_file, f"{token}\n")
        return token

    def _write(self, path: Path, text: str) -> None:
        self.create()
        unfinished = path.with_name(f"{path.name}.{os.getpid()}")
        try:
            with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                file.write(text)
            unfinished.rename(path)
        except OSError:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)
            raise


def _is_locked_by(lock: TextIO) -> bool:
    """Take a lock that nobody else holds, and return whether this file holds it now."""
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def is_removed(lock: TextIO) -> bool:
    """Return whether the home of this lock was removed."""
    return os.fstat(lock.fileno()).st_nlink == 0
