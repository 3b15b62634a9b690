"""The `up`, `down`, `drain` and `status` commands: start, stop and show the stack of a home."""

import json
import os
import re
import shutil
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import typer

from companyos.cells.capacity import CELL_CORES, CELL_STEPS_S, PLANNED_LOAD, STEP_CPU_S, demand_of
from companyos.cells.haproxy import configuration
from companyos.cells.names import CELL_NAME
from companyos.client.server import Server
from companyos.embedded.detached import start_detached
from companyos.embedded.errors import AlreadyRunning, StackError, full_disk
from companyos.embedded.home import Home, Status
from companyos.embedded.programs import draining
from companyos.embedded.programs.children import POLL_S
from companyos.embedded.programs.probes import is_alive
from companyos.embedded.programs.processes import signal_if_same
from companyos.embedded.readiness import answers
from companyos.embedded.server import AGENT_PORT, ORCHESTRATOR, default_port, process_names
from companyos.embedded.stores.sockets import socket_folder

from .demo import checked_url
from .output import echo, print_columns, print_json, tell_other_code

STOP_TIMEOUT_S = 60.0
KILL_TIMEOUT_S = 3.0
DRAIN_POLL_S = 2.0
TOKENS = ("COMPANYOS_TRAINER_TOKEN", "COMPANYOS_TRAINER_TOKEN_FILE")
TRAINER_API = "trainer API"
AGENT_API = "agent API"


def up(
    home_path: Path | None,
    *,
    port: int | None,
    spawn: bool,
    detach: bool,
    replicas: int | None = None,
    token: bool = False,
) -> None:
    """Start the stack, or print the addresses of the running one; `token` has it require a trainer token."""
    home = Home.at(home_path)
    if token and not any(os.environ.get(name) for name in TOKENS):
        os.environ[TOKENS[0]] = home.trainer_token()
        say = echo if detach else _inform
        say(f"The trainer token is in {home.token_file}.")
    if running := home.lasting():
        refuse_other_port(running, port)
        refuse_other_replicas(running, replicas)
        echo(f"Already running, process {running.supervisor.pid}:")
        print_addresses(running)
        tell_other_code(running)
        tell_ignored_settings(running)
    elif detach:
        known_agent_port = home.agent_port
        started = start_detached(home, port=port, spawn=spawn, replicas=replicas)
        tell_taken_ports(started, port, known_agent_port)
        print_addresses(started)
    else:
        run_in_foreground(home, port=port, spawn=spawn, replicas=replicas or 1)


def run_in_foreground(home: Home, *, port: int | None, spawn: bool, replicas: int) -> None:
    """Run the stack in this process until asked to stop."""
    from companyos.embedded.stack import Stack

    began, known_agent_port = time.monotonic(), home.agent_port
    stack = Stack(home, report=_log, port=port, spawn=spawn, replicas=replicas).start()
    try:
        tell_taken_ports(stack.status, port, known_agent_port, say=_inform)
        _inform(f"Ready in {time.monotonic() - began:.1f} s:")
        for name, address in _addresses(stack.status):
            _inform(f"  {name:<13} {address}")
        _inform("Stop it with Ctrl-C, or `companyos down` elsewhere.")
        stack.keep(report=_log)
        _inform("Finishing what is under way …")
    finally:
        stack.stop()


def down(home_path: Path | None, *, force: bool) -> None:
    """Stop the stack of a home; `force` also kills what does not stop or was left by a dead supervisor."""
    home = Home.at(home_path)
    recorded = home.recorded()
    if recorded is None and home.is_taken():
        raise StackError(f"A stack is starting or stopping in {home.path}. Try again in a moment.")
    if recorded is None:
        echo(f"No stack runs in {home.path}.")
        return
    if recorded.supervisor.runs():
        _stop(recorded, force=force)
    _clear(recorded, force=force)
    shutil.rmtree(socket_folder(home.path), ignore_errors=True)
    home.withdraw()
    echo("Stopped.")


def drain(
    home_path: Path | None, *, url: str | None, token: str | None, seconds: float, wait: bool, undo: bool
) -> None:
    """Drain the stack at `url`, or that of a home, and exit with 1 if episodes are left open after a wait.

    Raises:
        StackError: No stack runs there, or it does not answer.
    """
    running = None if (url := checked_url(url)) else Home.at(home_path).status()
    if url is None and running is None:
        raise StackError("No stack runs here. Start one with `companyos up`, or name another with --url.")
    address, key = (running.url, token or running.trainer_token) if running else (str(url).rstrip("/"), token)
    route, wait = Server(address).route_options, wait and not undo
    try:
        left = draining.drain(address, key, 0.0 if undo else seconds, route)
        taken = "resets again" if undo else f"no resets for {seconds:g} s"
        echo(f"{address} takes {taken}; {left} episodes are open.")
        ends = time.monotonic() + seconds
        while wait and left and time.monotonic() < ends:
            time.sleep(min(DRAIN_POLL_S, seconds))
            left = draining.open_episodes(address, key, route)
    except OSError as failure:
        raise StackError(str(failure)) from failure
    if wait:
        echo(f"{left} episodes are left open.")
        sys.exit(1 if left else 0)


def print_router(
    cells: Sequence[str], *, agents: Sequence[str], port: int, resolves: bool, certificate: str | None
) -> None:
    """Print a configuration of HAProxy that routes to these cells by name.

    Raises:
        typer.BadParameter: One is not NAME=URL, or a cell has no agent API.
    """
    apis, agent_apis = dict(map(_named_url, cells)), dict(map(_named_url, agents))
    if agent_apis and agent_apis.keys() != apis.keys():
        raise typer.BadParameter("give the agent API of each cell, and of no other", param_hint="--agents")
    text = configuration(
        apis, port=port, agents=agent_apis or None, resolves=resolves, certificate=certificate
    )
    echo(text, nl=False)


def show_capacity(rollouts: int, period_s: float, *, as_json: bool) -> None:
    """Print what a training needs, and from which costs that is computed."""
    found = demand_of(rollouts, period_s)
    if as_json:
        print_json(asdict(found))
        return
    echo(f"{rollouts} rollouts, each with a step every {period_s:g} s: {found.steps_s:,.0f} steps/s")
    echo(f"{found.busy_cores:.1f} busy cores, at {STEP_CPU_S * 1000:g} ms of processor time a step")
    echo(f"{found.cells} cells of {CELL_CORES} cores, at {PLANNED_LOAD:.0%} of {CELL_STEPS_S:g} steps/s each")
    echo(f"{found.memory_mb / 1000:.1f} GB of memory")


def show_status(home_path: Path | None, *, as_json: bool) -> None:
    """Show which processes run and where; fail unless all of them run and are ready."""
    home = Home.at(home_path)
    status = home.status()
    described = describe(home, status)
    if as_json:
        print_json(described)
    elif status is None:
        echo(f"No stack runs in {home.path}. Start one with `companyos up`.")
    else:
        print_addresses(status)
        print_columns([_line(process) for process in described["processes"]])
        for line in described["trouble"]:
            echo(line)
        if not described["healthy"]:
            echo(
                "Some processes are not ready; see `companyos logs`. Stopped processes restart automatically."
            )
    if not described["healthy"]:
        sys.exit(1)


def describe(home: Home, status: Status | None) -> dict[str, Any]:
    """Return the status that `status --json` prints: every address, no secrets."""
    if status is None:
        return {"running": False, "healthy": False, "home": str(home.path)}
    stopping = "The stack is stopping." if status.stopping else ""
    ready = {name: answers(url) for name, url in status.addresses.items()}
    agents_served = is_alive(status.agent_url)
    processes = [
        {**asdict(process), "running": process.runs(), "ready": ready[_serves(process.name)]}
        for process in status.processes
    ]
    return {
        "running": True,
        "healthy": agents_served and all(process["running"] and process["ready"] for process in processes),
        "home": str(home.path),
        "version": status.version,
        "url": status.url,
        "agent_url": status.agent_url,
        "addresses": status.addresses,
        "metrics": status.metrics,
        "ready": ready,
        "supervisor": asdict(status.supervisor),
        "processes": processes,
        "trouble": [*filter(None, (stopping, status.trouble, status.other_code, full_disk(home.path)))],
    }


def tell_taken_ports(
    status: Status, port: int | None, known_agent_port: int | None, say: Callable[[str], None] = echo
) -> None:
    """Say which expected ports are taken by other programs, and which ports are used instead."""
    from companyos.embedded.settings import stack_settings

    for name in process_names():
        usual, used = default_port(name), urlsplit(status.addresses[name]).port
        if used != usual and (name != ORCHESTRATOR or port is None):
            listener = TRAINER_API if name == ORCHESTRATOR else name
            say(_taken_port(usual, listener, used))
    used, chosen = urlsplit(status.agent_url).port, stack_settings().agent_port
    usual = known_agent_port or AGENT_PORT
    if chosen is None and used != usual:
        say(_taken_port(usual, AGENT_API, used))


def tell_ignored_settings(running: Status) -> None:
    """Print which of this shell's settings the running stack does not use."""
    from companyos.embedded.settings import check_given_settings, ignored_settings, stack_settings

    stack_settings()
    check_given_settings()
    if ignored := ignored_settings(running.settings):
        echo(f"Ignored, because the stack already runs: {', '.join(ignored)}.")
        echo("To apply them: `companyos down`, then `companyos up`.")


def print_addresses(status: Status) -> None:
    """Print all addresses, the trainer API and the agent API first, and what a browser finds there."""
    print_columns(_addresses(status))
    echo(f"To play a task or to watch one, open {status.url} in a browser.")


def _addresses(status: Status) -> list[tuple[str, str]]:
    first = [(TRAINER_API, status.url), (AGENT_API, status.agent_url)]
    return first + [pair for pair in status.addresses.items() if pair[0] != ORCHESTRATOR]


def refuse_other_port(running: Status, port: int | None) -> None:
    """Refuse `up` with a port other than that of the running stack.

    Raises:
        AlreadyRunning: The stack listens on another port.
    """
    if port and not running.url.endswith(f":{port}"):
        raise AlreadyRunning(f"The stack already runs at {running.url}. Stop it first: `companyos down`.")


def refuse_other_replicas(running: Status, replicas: int | None) -> None:
    """Refuse `up` with a number of replicas other than that of the running stack.

    Raises:
        AlreadyRunning: The stack has more or fewer processes.
    """
    if replicas not in (None, running.replicas):
        message = f"The stack already runs with {running.replicas} of each process."
        raise AlreadyRunning(f"{message} Stop it first: `companyos down`.")


def _taken_port(usual: int, listener: str, used: int | None) -> str:
    return f"Port {usual} is taken by another program; the {listener} listens on {used} instead."


def _stop(status: Status, *, force: bool) -> None:
    signal_if_same(status.supervisor.pid, status.supervisor.mark, signal.SIGTERM)
    timeout_s = KILL_TIMEOUT_S if force else STOP_TIMEOUT_S
    try:
        _wait(
            lambda: not status.supervisor.runs(),
            timeout_s,
            "The stack does not stop. Try `companyos down --force`.",
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
    _wait(over, KILL_TIMEOUT_S, "Some processes still run. Try `companyos down --force`.")


def _wait(condition: Callable[[], bool], timeout_s: float, otherwise: str) -> None:
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            raise StackError(otherwise)
        time.sleep(POLL_S)


def _named_url(text: str) -> tuple[str, str]:
    name, _, url = text.partition("=")
    if not re.fullmatch(CELL_NAME, name):
        raise typer.BadParameter(f"{text!r} is not a cell like cell-a=http://host:8000")
    return name, checked_url(url) or ""


def _serves(name: str) -> str:
    """Return the name under which a process or its replicas appear among the addresses."""
    return {"PostgreSQL": "postgres", "Valkey": "redis"}.get(name, name.partition("-")[0])


def _line(process: Mapping[str, Any]) -> tuple[str, str, str]:
    state = "is down" if not process["running"] else "runs" if process["ready"] else "runs, and is not ready"
    return process["name"], f"process {process['pid']}", state


def _report(line: str) -> None:
    # On a full disk, or where nobody reads any more, the stack goes on without the line.
    with suppress(OSError):
        echo(line)
        sys.stdout.flush()


def _inform(line: str) -> None:
    _log(line, level="info")


def _log(line: str, level: str = "warning") -> None:
    """Report what happens to a stack: plainly to a person, and as one object per line to a log."""
    about = {"process": "supervisor", "pid": os.getpid(), "level": level}
    entry = json.dumps({"event": line.strip(), **about, "timestamp": datetime.now(UTC).isoformat()})
    _report(line if sys.stdout.isatty() else entry)
