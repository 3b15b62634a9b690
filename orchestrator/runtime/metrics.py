"""Prometheus metrics of an orchestrator process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from time import perf_counter

from prometheus_client import Counter, Gauge, Histogram, generate_latest

from companyos.chassis.web.observability import new_registry

from ..progress.fault_account import FaultAccount, FaultState
from .capacity import Capacity

BUCKETS = (0.0005, 0.001, 0.002, 0.003, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class OrchestratorMetrics:
    """Counters and timings of one process, in a registry of their own."""

    def __init__(self) -> None:
        self.registry = new_registry("orchestrator")
        self.steps = self._counter("steps", "Steps played.", "call")
        self.episodes = self._counter("episodes_ended", "Episodes ended.", "scenario", "outcome")
        self.resets = self._counter("resets", "Episodes begun.", "scenario")
        self.outages = self._counter("outages", "Steps and resets that the stack failed.", "part")
        self.defects = self._counter(
            "service_defects", "Calls, due work and events on which a healthy service failed.", "service"
        )
        self.refusals = self._counter("refusals", "Requests refused.", "code")
        self.faults = self._counter(
            "faults",
            "Injected faults that reached a state; all but landed when the episode ends.",
            "fault",
            "state",
        )
        self.in_flight = self._gauge("in_flight", "Steps and resets worked on now.")
        self.prefetching = self._gauge("prefetching", "Companies waiting to be prefetched.")
        self._seconds = Histogram(
            "companyos_work_seconds",
            "Time of steps and resets, without queueing.",
            ["work"],
            buckets=BUCKETS,
            registry=self.registry,
        )
        # Looking up a series by its labels costs more than counting.
        self._seconds_of = cache(self._seconds.labels)

    def show_capacity(self, capacity: Capacity) -> None:
        """Show the open episodes of the whole stack as each of its processes last counted them, and their limit."""
        open_episodes = self._gauge(
            "open_episodes", "Episodes of the whole stack that are open, as last counted."
        )
        open_episodes.set_function(lambda: capacity.open_episodes)
        drains = self._gauge("drains_seconds", "Seconds for which no resets are taken; 0 if they are.")
        drains.set_function(lambda: capacity.drains_s)
        self._gauge("max_episodes", "Most episodes of the whole stack that may be open.").set(capacity.most)

    @contextmanager
    def timed(self, work: str) -> Iterator[None]:
        """Time the block and count it as in flight."""
        started = perf_counter()
        with self.in_flight.track_inprogress():
            yield
        self._seconds_of(work).observe(perf_counter() - started)

    def note_faults(self, account: FaultAccount, step: int, *, done: bool) -> None:
        """Count the faults that landed at a step and, at the last step, the other states of all faults."""
        for fault in account.landed_at(step):
            self.faults.labels(str(fault), str(FaultState.LANDED)).inc()
        for fault, state in account.reached(done=True) if done else ():
            if state is not FaultState.LANDED:
                self.faults.labels(str(fault), str(state)).inc()

    def page(self) -> bytes:
        """Return the metrics in Prometheus' text format."""
        return generate_latest(self.registry)

    def _counter(self, name: str, documentation: str, *labels: str) -> Counter:
        return Counter(f"companyos_{name}", documentation, labels, registry=self.registry)

    def _gauge(self, name: str, documentation: str) -> Gauge:
        return Gauge(f"companyos_{name}", documentation, registry=self.registry)
