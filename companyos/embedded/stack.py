"""The whole stack of one home: databases, services and orchestrator, kept running by this process."""

import os
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Self

from .children import Child
from .databases import Databases, start_databases
from .errand import Errand
from .home import Home, Process, Status
from .posts import LOOPBACK, Post, open_posts, take_listeners
from .readiness import await_ready
from .server import ORCHESTRATOR, preload, process_names, service_names
from .supervisor import CALM_S, Signals, supervise
from .workers import Forked, spawned

DRAIN_TIMEOUT_S = 25.0
#: What one process of each kind may take of PostgreSQL, and what everybody else does.
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
        """Describe the stack.

        Args:
            home: Where it lives.
            report: Told in one line each what a person may want to know.
            port: The port of the trainer door; without it 8000, or a free one when that is taken.
            spawn: Start each process as a program of its own instead of forking it.
            replicas: How many processes of each service, and of the orchestrator, share its work.
        """
        self.home = home
        self._report = report
        self._port = port
        self._spawn = spawn or sys.platform == "darwin"
        self._replicas = replicas
        self._host = os.environ.get("COMPANYOS_HOST") or LOOPBACK
        self._exit = ExitStack()
        self._listeners: dict[str, socket.socket] = {}
        self._posts: list[Post] = []
        self._workers: list[Forked | Child] = []

    def start(self) -> Self:
        """Start everything and return when every process is ready.

        Raises:
            AlreadyRunning: A stack runs in this home.
            StackError: Something cannot start; nothing is left running.
        """
        with ExitStack() as undo:
            undo.callback(self.stop)
            self._start()
            undo.pop_all()
        return self

    def keep(self) -> None:
        """Restart what ends, until this process is asked to stop."""
        calm_s = float(os.environ.get("COMPANYOS_CALM_S") or CALM_S)
        supervise(self._kept, self._signals, report=self._report, changed=self._publish, calm_s=calm_s)

    def stop(self) -> None:
        """Drain: the orchestrator finishes its steps, then the services end, then the databases."""
        for listener in self._listeners.values():
            listener.close()
        self._exit.close()

    @property
    def status(self) -> Status:
        """What the status file says of this stack."""
        addresses = {post.serves: post.url for post in self._posts}
        addresses |= {"postgres": self._databases.admin_url, "redis": self._databases.redis_url}
        return Status(
            supervisor=Process.of("supervisor", os.getpid()),
            addresses=addresses,
            processes=[Process.of(kept.name, kept.pid) for kept in self._kept],
            version=installed_version(),
            trainer_token=os.environ.get("COMPANYOS_TRAINER_TOKEN") or None,
        )

    @property
    def _kept(self) -> list[Forked | Child]:
        return [*self._workers, self._databases.postgres, self._databases.valkey]

    def _start(self) -> None:
        self._lock = self._exit.enter_context(self.home.lock())
        self._exit.callback(self.home.withdraw)
        self._signals = self._exit.enter_context(Signals())
        self._listeners = take_listeners(self._host, self._port)
        self.home.keep_old_logs()
        with _imported([] if self._spawn else service_names()):
            self._databases = self._exit.enter_context(self._started_databases())
        for notice in self._databases.notices:
            self._report(notice)
        self._migrate()
        self._posts = open_posts(self.home, self._databases, self._listeners, replicas=self._replicas)
        self._start_workers()
        self._publish()

    def _started_databases(self) -> Databases:
        durable = os.environ.get("COMPANYOS_DURABILITY") == "full"
        connections = CONNECTIONS_BESIDE + CONNECTIONS_EACH * self._replicas
        return start_databases(self.home.path, durable=durable, connections=connections)

    def _migrate(self) -> None:
        if self._spawn:
            self._bring_schemas_up_to_date()
            return
        migration = Errand("migration", self._bring_schemas_up_to_date, self.home.log("migration"))
        preload(ORCHESTRATOR)
        migration.finish()

    def _bring_schemas_up_to_date(self) -> None:
        passwords = self.home.secrets(process_names())
        import_module("companyos.chassis.schema").migrate(self._databases.admin_url, passwords)

    def _start_workers(self) -> None:
        self._exit.callback(self._drain)
        for post in self._posts:
            worker = spawned(post) if self._spawn else Forked(post, let_go=self._let_go)
            worker.start()
            self._workers.append(worker)
        for worker, post in zip(self._workers, self._posts, strict=True):
            await_ready(worker, post.url)

    def _drain(self) -> None:
        # The orchestrators first: the steps they finish need the services.
        posted = list(zip(self._workers, self._posts, strict=False))
        doors = [worker for worker, post in posted if post.serves == ORCHESTRATOR]
        for group in (doors, [worker for worker in self._workers if worker not in doors]):
            for worker in group:
                worker.ask_to_stop()
            for worker in group:
                worker.stop(timeout_s=DRAIN_TIMEOUT_S)

    def _publish(self) -> None:
        self.home.publish(self.status)

    def _let_go(self, serves: str) -> None:
        """Release, in a forked copy that serves `serves`, what belongs to this process and to the other copies."""
        for kept in self._kept:
            kept.forget()
        for other, listener in self._listeners.items():
            if other != serves:
                listener.close()
        self._signals.forget()
        self._databases.lock.close()
        self._lock.close()


def installed_version() -> str:
    """Return the version of this distribution."""
    try:
        return version("openenv-companyos")
    except PackageNotFoundError:
        return "checkout"


@contextmanager
def _imported(names: list[str]) -> Iterator[None]:
    """Import what the processes need while the body runs; imports and databases take about as long."""
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
