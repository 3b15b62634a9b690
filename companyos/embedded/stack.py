"""The whole stack of one home: databases, services and orchestrator, supervised by this process."""

import os
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import replace
from typing import Self

from companyos.sdk import stackpath
from companyos.version import __version__

from .endpoints import Endpoint, open_endpoints, take_listeners, url_of
from .errors import DiskFull, StackError, full_disk, is_disk_full
from .home import Home, Process, Status, is_removed
from .listeners.descriptors import ENOUGH, raise_limit
from .programs.children import Child
from .programs.draining import drain, open_episodes
from .programs.forked_job import ForkedJob
from .programs.rotation import rotate
from .readiness import await_ready
from .scenarios import require_scenarios
from .server import AGENT_API, ORCHESTRATOR, preload, process_names, service_names
from .settings import check_given_settings, given_trainer_token, settings_in_force, stack_settings
from .stores.binaries import check_chosen_programs
from .stores.databases import Databases, start_databases
from .supervisor import Signals, supervise
from .workers import Forked, spawned

DRAIN_TIMEOUT_S = 25.0
#: PostgreSQL connections for one process of each kind together, and a reserve for other clients.
CONNECTIONS_EACH, CONNECTIONS_BESIDE = 40, 40


class Stack:
    """Everything that runs in one home, from `start` to `stop`."""

    def __init__(
        self,
        home: Home,
        *,
        report: Callable[[str], None],
        port: int | None = None,
        spawn: bool = False,
        replicas: int = 1,
    ) -> None:
        """Configure the stack.

        Args:
            home: Home of the stack.
            report: Called with each line of information for the user.
            port: Port of the trainer API; None takes 8000, or a free one if that is taken.
            spawn: Start each process as a program instead of forking it.
            replicas: Number of processes of each service and of the orchestrator.

        Raises:
            Misuse: A setting is invalid.
        """
        self._settings = stack_settings()
        self.home = home
        self._report = report
        self._port = port
        self._spawn = spawn or sys.platform == "darwin"
        self._replicas = replicas
        self._exit = ExitStack()
        self._listeners: dict[str, socket.socket] = {}
        self._endpoints: list[Endpoint] = []
        self._workers: list[Forked | Child] = []
        self._full = ""
        self._stopping = False

    def start(self) -> Self:
        """Start everything and return when every process is ready.

        Raises:
            AlreadyRunning: A stack runs in this home.
            DiskFull: The disk is full.
            Misuse: A setting of a process is invalid.
            StackError: A process cannot start; nothing is left running.
        """
        check_chosen_programs()
        check_given_settings()
        with ExitStack() as undo:
            undo.callback(self.stop)
            with _reporting_full_disk(self.home):
                self._start()
            undo.pop_all()
        return self

    def keep(self, *, report: Callable[[str], None]) -> None:
        """Restart processes that exit, until this process is asked to stop.

        Args:
            report: Called with each line about what happens to the running stack.

        Raises:
            StackError: The home was removed.
        """
        self._report = report
        self._supervise(self._is_wanted)
        self._announce_stop()
        if self._settings.drain_s and not is_removed(self._lock):
            self._finish_episodes(self._settings.drain_s)
        if is_removed(self._lock):
            raise StackError(f"{self.home.path} was removed, so its stack has stopped.")

    def stop(self) -> None:
        """Drain and stop everything: the orchestrator first, then the services, then the databases."""
        for listener in self._sockets():
            listener.close()
        self._exit.close()

    @property
    def status(self) -> Status:
        """The content of the status file, of a whole stack."""
        addresses = {endpoint.serves: endpoint.url for endpoint in self._endpoints}
        addresses |= {"postgres": self._databases.admin_url, "redis": self._databases.redis_url}
        return Status(
            supervisor=Process.of("supervisor", os.getpid()),
            addresses=addresses,
            agent_url=url_of(self._listeners[AGENT_API]),
            processes=[Process.of(kept.name, kept.pid) for kept in self._kept],
            version=__version__,
            code=str(stackpath.ROOT),
            trainer_token=given_trainer_token(),
            settings=settings_in_force(),
            metrics={endpoint.name: endpoint.metrics_url for endpoint in self._endpoints},
            stopping=self._stopping,
        )

    def _supervise(self, wanted: Callable[[], bool]) -> None:
        supervise(
            self._kept,
            self._signals,
            report=self._report,
            publish=self._publish,
            wanted=wanted,
            calm_s=self._settings.calm_s,
        )

    def _announce_stop(self) -> None:
        """Publish that this stack is stopping, so that whoever needs one here waits for the next."""
        self._stopping = True
        if not is_removed(self._lock):
            with suppress(OSError, StackError):
                self._publish()

    def _finish_episodes(self, seconds: float) -> None:
        """Keep everything running, without resets, until no episode is open, the time is up, or the next signal."""
        status, ends = self.status, time.monotonic() + seconds
        left: int | None = None

        def has_episodes() -> bool:
            nonlocal left
            left = open_episodes(status.url, status.trainer_token)
            return left > 0 and time.monotonic() < ends and self._is_wanted()

        try:
            left = drain(status.url, status.trainer_token, seconds)
            self._report(
                f"Draining for at most {seconds:g} s: {left} episodes are open, and no reset is taken."
            )
            if left:
                self._supervise(has_episodes)
            self._report(f"{left} episodes are left open.")
        except OSError as failure:
            self._report(f"The stack stops without draining: {failure}")

    @property
    def _kept(self) -> list[Forked | Child]:
        return [self._databases.postgres, self._databases.valkey, *self._workers]

    def _start(self) -> None:
        require_scenarios()
        if self.home.is_stopping():
            self._report(f"Waiting for the stack that is stopping in {self.home.path} …")
        self._lock = self._exit.enter_context(self.home.lock())
        self._exit.callback(self.home.withdraw)
        self._signals = self._exit.enter_context(Signals())
        chosen = self._settings
        if (descriptors := raise_limit()) < ENOUGH:
            self._report(
                f"Only {descriptors} files may be open (`ulimit -n`), which limits the connections of clients. "
                f"Raise the limit to {ENOUGH} or more."
            )
        self._listeners = take_listeners(
            chosen.host,
            self._port,
            chosen.agent_host,
            chosen.agent_port,
            known_agent_port=self.home.agent_port,
        )
        self.home.keep_old_logs()
        with _imported([] if self._spawn else service_names()):
            self._databases = self._exit.enter_context(self._started_databases())
        for notice in self._databases.notices:
            self._report(notice)
        self._migrate()
        self._endpoints = open_endpoints(self.home, self._databases, self._listeners, replicas=self._replicas)
        self._start_workers()
        if chosen.agent_port is None:
            self.home.keep_agent_port(self._listeners[AGENT_API].getsockname()[1])
        urls = {endpoint.name: endpoint.metrics_url for endpoint in self._endpoints}
        self.home.write_targets(urls, self._settings.cell)
        self._publish()

    def _started_databases(self) -> Databases:
        durable = self._settings.durability == "full"
        connections = CONNECTIONS_BESIDE + CONNECTIONS_EACH * self._replicas
        return start_databases(self.home.path, durable=durable, connections=connections)

    def _migrate(self) -> None:
        if self._has_every_schema():
            preload(ORCHESTRATOR)
            return
        self._databases.forget_schemas()
        if self._spawn:
            self._bring_schemas_up_to_date()
            return
        migration = ForkedJob("migration", self._migration_job, self.home.log("migration"))
        preload(ORCHESTRATOR)
        migration.finish()

    def _has_every_schema(self) -> bool:
        """Return whether the cluster was prepared with the schemas of this version."""
        if not self._databases.schemas:
            return False
        from .migration import schema_digest

        return self._databases.schemas == schema_digest()

    def _migration_job(self) -> None:
        from companyos.chassis.web.logs import log_everything

        log_everything("info", "migration")
        self._bring_schemas_up_to_date()

    def _bring_schemas_up_to_date(self) -> None:
        passwords = self.home.secrets(process_names())
        # Imported in the forked job, so the memory is freed when the job ends.
        from .migration import migrate

        migrate(self._databases.admin_url, passwords)

    def _start_workers(self) -> None:
        self._exit.callback(self._drain)
        for endpoint in self._endpoints:
            worker = spawned(endpoint) if self._spawn else Forked(endpoint, let_go=self._let_go)
            worker.start()
            self._workers.append(worker)
        for worker, endpoint in zip(self._workers, self._endpoints, strict=True):
            await_ready(worker, endpoint.url)

    def _drain(self) -> None:
        # The orchestrators stop first, because the steps that they finish need the services.
        placed = list(zip(self._workers, self._endpoints, strict=False))
        orchestrators = [worker for worker, endpoint in placed if endpoint.serves == ORCHESTRATOR]
        for group in (orchestrators, [worker for worker in self._workers if worker not in orchestrators]):
            for worker in group:
                worker.ask_to_stop()
            for worker in group:
                worker.stop(timeout_s=DRAIN_TIMEOUT_S)

    def _publish(self, trouble: str = "") -> None:
        self.home.publish(replace(self.status, trouble=trouble))

    def _is_wanted(self) -> bool:
        """Return whether the home exists; keep its logs small, and report when its disk fills and has room again."""
        rotate(self.home.logs(), self._settings.log_mb * 2**20)
        full = full_disk(self.home.path)
        if bool(full) != bool(self._full):
            self._report(full or f"The disk of {self.home.path} has room again.")
        self._full = full
        return not is_removed(self._lock)

    def _sockets(self) -> set[socket.socket]:
        """Return every listening socket of the stack."""
        return {*self._listeners.values(), *(endpoint.own_listener for endpoint in self._endpoints)}

    def _let_go(self, served: Endpoint) -> None:
        """In a forked copy that serves one endpoint, release the resources of this process and other copies."""
        for kept in self._kept:
            kept.forget()
        for listener in self._sockets().difference(served.listeners.values()):
            listener.close()
        self._signals.forget()
        self._databases.lock.close()
        self._lock.close()


@contextmanager
def _reporting_full_disk(home: Home) -> Iterator[None]:
    """Report a full disk as the cause of any error that it leads to."""
    try:
        yield
    except (OSError, StackError) as failure:
        if is_disk_full(failure):
            raise DiskFull(home.path) from failure
        raise


@contextmanager
def _imported(names: list[str]) -> Iterator[None]:
    """Import what the processes need while the databases start; both take about the same time."""
    failures: list[Exception] = []

    def load() -> None:
        try:
            for name in names:
                preload(name)
        except Exception as failure:  # noqa: BLE001 - raised again below, in the thread that can act on it
            failures.append(failure)

    importing = threading.Thread(target=load)
    importing.start()
    try:
        yield
    finally:
        importing.join()
    for failure in failures:
        raise failure
