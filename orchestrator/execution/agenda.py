"""The schedule of a world's clock: the services with something due, and when.

Time moves from one due instant to the next and never past one. At an instant, every service with something
due gets a turn, in order of name. Work that becomes due at the same instant gets another round.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from companyos.chassis.world import causes

from ..protocol.problems import Outage

#: A service that keeps scheduling work at one instant would stop time forever.
MAX_ROUNDS = 100


@dataclass(frozen=True)
class Tick:
    """One service's turn at an instant; rounds count from 1."""

    service: str
    at: int
    round: int

    @property
    def label(self) -> str:
        """The instant and round, as causes and idempotency keys name them."""
        return causes.tick_label(self.at, self.round)


class Agenda:
    """The schedule of one world on the way to a target.

    Attributes:
        now: Simulated time, in seconds.
        due: Each service's next due instant; None if nothing is scheduled.
    """

    def __init__(self, now: int, due: Mapping[str, int | None]) -> None:
        self.now = now
        self.due = dict(due)
        self._waiting: list[str] = []
        self._round = 0
        self._at: int | None = None

    def tell(self, service: str, next_due: int | None) -> None:
        """Note a service's next due instant."""
        self.due[service] = next_due

    def next_tick(self, target: int) -> Tick | None:
        """Return the next turn up to `target`, or None once the clock has reached it.

        Raises:
            Outage: Something keeps becoming due at the same instant.
        """
        while True:
            while self._waiting:
                service = self._waiting.pop(0)
                if self._is_due(service, self.now):
                    return Tick(service, self.now, self._round)
            if not self._open_round(target):
                self.now = max(self.now, target)
                return None

    def _open_round(self, target: int) -> bool:
        instants = [at for at in self.due.values() if at is not None]
        if not instants or max(min(instants), self.now) > target:
            return False
        at = max(min(instants), self.now)
        self._round = self._round + 1 if at == self._at else 1
        if self._round > MAX_ROUNDS:
            raise Outage("clock", f"something is due at simulated second {at} without end")
        self.now = self._at = at
        self._waiting = sorted(self.due)
        return True

    def _is_due(self, service: str, at: int) -> bool:
        due = self.due[service]
        return due is not None and due <= at
