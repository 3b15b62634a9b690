"""The home directory of a stack: its lock, logs and secrets, and the status file that tells of it."""

import fcntl
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TextIO

from .errors import AlreadyRunning, StackError
from .processes import is_same, start_mark
from .server import ORCHESTRATOR

DEFAULT_HOME = Path("~/.companyos")


@dataclass(frozen=True)
class Process:
    """One process of a running stack: its id and the mark of its life (see `start_mark`)."""

    name: str
    pid: int
    mark: str

    @classmethod
    def of(cls, name: str, pid: int) -> "Process":
        """Describe a process that runs now."""
        return cls(name, pid, start_mark(pid) or "")

    def runs(self) -> bool:
        """Tell whether it is still this process that has the id."""
        return is_same(self.pid, self.mark)


@dataclass(frozen=True)
class Status:
    """What a running stack tells others: who runs it and where everything is.

    `addresses` holds one URL per name: each service, `orchestrator`, `postgres` (as superuser) and `redis`.
    """

    supervisor: Process
    addresses: dict[str, str]
    processes: list[Process] = field(default_factory=list)
    version: str = ""
    trainer_token: str | None = None

    @property
    def url(self) -> str:
        """The trainer door."""
        return self.addresses["orchestrator"]

    @property
    def replicas(self) -> int:
        """How many processes of each service, and of the orchestrator, run."""
        return sum(process.name.partition("-")[0] == ORCHESTRATOR for process in self.processes)

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> "Status":
        """Read what `Home.publish` wrote."""
        supervisor, *processes = (Process(**each) for each in [values["supervisor"], *values["processes"]])
        return cls(**{**values, "supervisor": supervisor, "processes": processes})


@dataclass(frozen=True)
class Home:
    """One home directory; at most one stack runs in it."""

    path: Path

    @classmethod
    def at(cls, path: Path | None) -> "Home":
        """Return the home at `path`, at COMPANYOS_HOME, or at ~/.companyos."""
        chosen = path or Path(os.environ.get("COMPANYOS_HOME") or DEFAULT_HOME)
        return cls(chosen.expanduser().absolute())

    @property
    def status_file(self) -> Path:
        """Who runs the stack and where everything is, readable by its owner only."""
        return self.path / "stack.json"

    @property
    def supervisor_log(self) -> Path:
        """Where a stack that runs in the background says what it has to say."""
        return self.path / "stack.log"

    def log(self, name: str) -> Path:
        """Return where the process of this name writes."""
        return self.path / "logs" / f"{name}.log"

    def create(self) -> None:
        """Make the directory, for its owner only, unless it is there.

        Raises:
            StackError: It cannot be made or used.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
            (self.path / "logs").mkdir(exist_ok=True)
        except OSError as error:
            raise StackError(
                f"{self.path} cannot be used ({error.strerror}). Choose another --home."
            ) from None

    def lock(self) -> TextIO:
        """Take the home for this process until the returned file is closed.

        Raises:
            AlreadyRunning: Another process has it.
        """
        self.create()
        lock = (self.path / "stack.lock").open("w")
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.close()
            raise AlreadyRunning(
                f"A stack already runs in {self.path}. Stop it (`companyos down`), or choose another --home."
            ) from None
        return lock

    def is_taken(self) -> bool:
        """Tell whether a stack runs, starts or stops here."""
        try:
            self.lock().close()
        except AlreadyRunning:
            return True
        return False

    def keep_old_logs(self) -> None:
        """Begin new logs; those of the run before are kept beside them."""
        for log in (self.path / "logs").glob("*.log"):
            log.rename(log.with_suffix(".log.old"))

    def recorded(self) -> Status | None:
        """Return what the last stack wrote, whether it still runs or not."""
        try:
            return Status.from_json(json.loads(self.status_file.read_text()))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def status(self) -> Status | None:
        """Return the status of the stack that runs here now, None when none does."""
        found = self.recorded()
        return found if found and found.supervisor.runs() else None

    def publish(self, status: Status) -> None:
        """Write the status file, whole or not at all."""
        self._write(self.status_file, asdict(status))

    def withdraw(self) -> None:
        """Remove the status file."""
        self.status_file.unlink(missing_ok=True)

    def secrets(self, names: list[str]) -> dict[str, str]:
        """Return a random secret per name, the same ones at every start of this home."""
        path = self.path / "secrets.json"
        known: dict[str, str] = json.loads(path.read_text()) if path.exists() else {}
        missing = {name: secrets.token_urlsafe(32) for name in names if name not in known}
        if missing:
            self._write(path, known | missing)
        return {name: (known | missing)[name] for name in names}

    def _write(self, path: Path, values: Mapping[str, Any]) -> None:
        self.create()
        unfinished = path.with_name(f"{path.name}.{os.getpid()}")
        with os.fdopen(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump(values, file, indent=1)
        unfinished.rename(path)
