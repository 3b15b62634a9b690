"""A dedicated stack for the benchmark, and its cost: start-up time, memory and CPU time."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from .figures import Measurement, percentile

TICKS_PER_S = os.sysconf("SC_CLK_TCK")
#: Thousands of resets per second must not reach the limit of open episodes.
ENVIRONMENT = {"COMPANYOS_MAX_EPISODES": "1000000", **os.environ}


@dataclass(frozen=True)
class RunningStack:
    """A started stack: its addresses by name, its processes, and how long it took to be ready, in seconds."""

    home: Path
    addresses: dict[str, str]
    processes: dict[str, int]
    ready_s: float

    @property
    def pids(self) -> list[int]:
        """The processes, without their children."""
        return list(self.processes.values())

    def pid_of(self, name: str) -> int:
        """The process with this name, such as `orchestrator`."""
        return self.processes[name]

    @property
    def url(self) -> str:
        """The trainer API."""
        return self.addresses["orchestrator"]


def companyos(*arguments: str, **settings: str) -> str:
    """Run a command of the CLI with these settings besides ours, and return what it printed."""
    program = [sys.executable, "-m", "companyos", *arguments]
    environment = {**ENVIRONMENT, **settings}
    done = subprocess.run(program, check=True, capture_output=True, text=True, env=environment)
    return done.stdout


@contextmanager
def started_stack(home: Path, **settings: str) -> Iterator[RunningStack]:
    """Start the embedded stack in a home, and stop it at the end."""
    began = time.perf_counter()
    companyos("up", "--detach", "--home", str(home), **settings)
    ready_s = time.perf_counter() - began
    status: dict[str, Any] = json.loads(companyos("status", "--json", "--home", str(home)))
    processes = {process["name"]: process["pid"] for process in [status["supervisor"], *status["processes"]]}
    try:
        yield RunningStack(home, status["addresses"], processes, ready_s)
    finally:
        companyos("down", "--home", str(home))


def start_up(home: Path, times: int) -> list[Measurement]:
    """Measure the first start in an empty home, and the median of later ones."""
    with started_stack(home) as stack:
        cold = stack.ready_s
    warm = []
    for _ in range(times):
        with started_stack(home) as stack:
            warm.append(stack.ready_s)
    return [
        Measurement("stack ready, cold", cold, "s", 3.0, detail="command to ready, with an empty home"),
        Measurement("stack ready, warm", percentile(warm, 0.5), "s", 2.0, detail=f"median of {times}"),
    ]


def idle_memory(stack: RunningStack) -> Measurement:
    """Measure the proportional memory of every process of the stack, children included."""
    total = sum(pss_kb(pid) for pid in family(stack.pids))
    return Measurement("idle memory of the whole stack (PSS)", total / 1024, "MB", 220.0)


def idle_time(stack: RunningStack, seconds: float = 20.0) -> Measurement:
    """Measure the CPU time of an idle stack, after the background work of its start has finished."""
    time.sleep(seconds / 4)
    before = cpu_s(stack.pids)
    time.sleep(seconds)
    share = 100 * (cpu_s(stack.pids) - before) / seconds
    return Measurement("idle processor time of the whole stack", share, "%", 1.0, detail="of one core")


def family(pids: list[int]) -> list[int]:
    """Return these processes and all their running descendants."""
    found = [pid for pid in pids if Path(f"/proc/{pid}").exists()]
    for pid in found:
        for listing in Path(f"/proc/{pid}/task").glob("*/children"):
            found.extend(int(child) for child in listing.read_text().split() if int(child) not in found)
    return found


def pss_kb(pid: int) -> int:
    """Return the proportional set size of a process in KiB, or 0 if it no longer exists."""
    try:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
    except OSError:
        return 0
    return next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))


def resident_kb(pid: int) -> int:
    """Return the resident set size of a process in KiB."""
    status = Path(f"/proc/{pid}/status").read_text()
    return next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmRSS:"))


def tables_kb(stack: RunningStack) -> float:
    """Return the size of every table of the stack with its indexes, in KiB."""
    sizes = (
        "SELECT sum(pg_total_relation_size(c.oid)) / 1024.0 "
        "FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace "
        "WHERE relkind = 'r' AND nspname NOT IN ('pg_catalog', 'information_schema')"
    )
    with psycopg.connect(stack.addresses["postgres"]) as connection:
        row = connection.execute(sizes).fetchone()
    assert row
    return float(row[0])


def cpu_s(pids: list[int]) -> float:
    """Return the CPU time of these processes and their descendants, including ended ones, in seconds."""
    total = 0
    for pid in family(pids):
        try:
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        total += sum(int(ticks) for ticks in fields[11:15])
    return total / TICKS_PER_S
