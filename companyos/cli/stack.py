"""The commands that start, stop and show the stack of a home."""

import shutil
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import typer

from companyos.embedded.children import POLL_S
from companyos.embedded.detached import start_detached
from companyos.embedded.errors import AlreadyRunning, StackError
from companyos.embedded.home import Home, Process, Status
from companyos.embedded.processes import signal_if_same
from companyos.embedded.readiness import is_ready
from companyos.embedded.sockets import socket_folder

from .output import print_columns, print_json

STOP_TIMEOUT_S = 60.0
KILL_TIMEOUT_S = 3.0


def up(
    home_path: Path | None, *, port: int | None, spawn: bool, detach: bool, replicas: int | None = None
) -> None:
    """Start the stack, or say where the running one is."""
    home = Home.at(home_path)
    if running := home.status():
        refuse_other_port(running, port)
        refuse_other_replicas(running, replicas)
        typer.echo(f"Already running, process {running.supervisor.pid}:")
        print_addresses(running)
    elif detach:
        print_addresses(start_detached(home, port=port, spawn=spawn, replicas=replicas))
    else:
        run_in_foreground(home, port=port, spawn=spawn, replicas=replicas or 1)


def run_in_foreground(home: Home, *, port: int | None, spawn: bool, replicas: int) -> None:
    """Run the stack in this process until it is asked to stop."""
    from companyos.embedded.stack import Stack

    began = time.monotonic()
    stack = Stack(home, report=_report, port=port, spawn=spawn, replicas=replicas).start()
    try:
        _report(f"Ready in {time.monotonic() - began:.1f} s:")
        print_addresses(stack.status)
        _report("Stop it with Ctrl-C, or `companyos down` elsewhere.")
        stack.keep()
        _report("Finishing what is under way …")
    finally:
        stack.stop()


def down(home_path: Path | None, *, force: bool) -> None:
    """Stop the stack of a home; with `force` kill what does not stop, or is left of one whose supervisor died."""
    home = Home.at(home_path)
    recorded = home.recorded()
    if recorded is None and home.is_taken():
        raise StackError(f"A stack is starting or stopping in {home.path}. Try again in a moment.")
    if recorded is None:
        typer.echo(f"No stack runs in {home.path}.")
        return
    if recorded.supervisor.runs():
        _stop(recorded, force=force)
    _clear(recorded, force=force)
    shutil.rmtree(socket_folder(home.path), ignore_errors=True)
    home.withdraw()
    typer.echo("Stopped.")


def show_status(home_path: Path | None, *, as_json: bool) -> None:
    """Show what runs and where."""
    home = Home.at(home_path)
    status = home.status()
    if as_json:
        print_json(describe(home, status))
    elif status is None:
        typer.echo(f"No stack runs in {home.path}. Start one with `companyos up`.")
    else:
        print_addresses(status)
        print_columns(
            [[process.name, f"process {process.pid}", _state(process)] for process in status.processes]
        )
    if status is None:
        sys.exit(1)


def describe(home: Home, status: Status | None) -> dict[str, object]:
    """Return the status as `status --json` prints it: no secret, every address."""
    if status is None:
        return {"running": False, "home": str(home.path)}
    ready = {name: is_ready(url) for name, url in status.addresses.items() if url.startswith("http")}
    processes = [{**asdict(process), "running": process.runs()} for process in status.processes]
    return {
        "running": True,
        "home": str(home.path),
        "version": status.version,
        "url": status.url,
        "addresses": status.addresses,
        "ready": ready,
        "supervisor": asdict(status.supervisor),
        "processes": processes,
    }


def print_addresses(status: Status) -> None:
    """Print where everything is, the trainer door first."""
    first = [("trainer door", status.url)]
    print_columns(first + [pair for pair in status.addresses.items() if pair[0] != "orchestrator"])


def refuse_other_port(running: Status, port: int | None) -> None:
    """Refuse to pass a running stack off as one on another port.

    Raises:
        AlreadyRunning: It listens elsewhere.
    """
    if port is not None and not running.url.endswith(f":{port}"):
        raise AlreadyRunning(f"It already runs at {running.url}. Stop it first: `companyos down`.")


def refuse_other_replicas(running: Status, replicas: int | None) -> None:
    """Refuse to pass a running stack off as one of another size.

    Raises:
        AlreadyRunning: It has more or fewer processes.
    """
    if replicas not in (None, running.replicas):
        told = f"It already runs with {running.replicas} of each process."
        raise AlreadyRunning(f"{told} Stop it first: `companyos down`.")


def _stop(status: Status, *, force: bool) -> None:
    signal_if_same(status.supervisor.pid, status.supervisor.mark, signal.SIGTERM)
    timeout_s = KILL_TIMEOUT_S if force else STOP_TIMEOUT_S
    try:
        _wait(
            lambda: not status.supervisor.runs(), timeout_s, "It does not stop. Try `companyos down --force`."
        )
    except StackError:
        if not force:
            raise
        signal_if_same(status.supervisor.pid, status.supervisor.mark, signal.SIGKILL)


def _clear(status: Status, *, force: bool) -> None:
    def over() -> bool:
        return not any(process.runs() for process in status.processes)

    if force:
        for process in status.processes:
            signal_if_same(process.pid, process.mark, signal.SIGKILL)
    _wait(over, KILL_TIMEOUT_S, "Some of its processes still run. Try `companyos down --force`.")


def _wait(condition: Callable[[], bool], timeout_s: float, otherwise: str) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise StackError(otherwise)
        time.sleep(POLL_S)


def _state(process: Process) -> str:
    return "runs" if process.runs() else "is down"


def _report(line: str) -> None:
    typer.echo(line)
    sys.stdout.flush()
