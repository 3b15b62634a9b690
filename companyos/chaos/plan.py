"""The fault plan: the one place that decides what goes wrong, by keyed hashes over stable names.

A decision is `u = draws.unit(fault id, coordinates)`; there is an incident at a place iff `u < p`. Nothing else
enters: neither order nor process nor load nor how an agent words what it asks. A *transient* fault is an incident at a
logical operation (service, operation, object) that spoils its first attempts and then never again. How many incidents
an episode has is bounded by F of each fault and by the limits of its layer; the step records say which happened.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companyos.draws import Draws

from .catalogue import CATALOGUE, FaultId, Layer, Reach
from .profile import Chaos, Limits, Setting, canonical

#: Service, operation and object ("" where there is none) of a call.
Operation = tuple[str, str, str]


@dataclass(frozen=True)
class Incident:
    """A fault at a place.

    Attributes:
        where: The operation, or (event, object, consumer).
        length: How many attempts it spoils.
        params: The parameters of its fault.
    """

    fault: FaultId
    where: tuple[str, ...]
    length: int
    params: Mapping[str, Any]


@dataclass
class History:
    """What a plan must know of the episode so far; the step records say it.

    Attributes:
        attempts: How many attempts at each operation were spoilt.
        landed: The step at which each incident began.
    """

    attempts: dict[Operation, int] = field(default_factory=dict)
    landed: dict[tuple[FaultId, tuple[str, ...]], int] = field(default_factory=dict)

    def copy(self) -> "History":
        """Return one of its own that says the same."""
        return History(dict(self.attempts), dict(self.landed))

    def count(self, layer: Layer) -> int:
        """Return how many incidents of a layer began."""
        return sum(CATALOGUE[fault].layer is layer for fault, _ in self.landed)

    def count_of(self, fault: FaultId) -> int:
        """Return how many incidents of a fault began."""
        return sum(one is fault for one, _ in self.landed)


class FaultPlan:
    """What goes wrong in one episode.

    Args:
        draws: The episode's draws: salt, scenario, version, seed and chaos digest.
        chaos: The setting.
    """

    def __init__(self, draws: Draws, chaos: Chaos) -> None:
        self.chaos = chaos
        self._draws = draws
        self._calls = chaos.of(Layer.SERVICE)
        self._events = chaos.of(Layer.EVENT)
        self._ranks = {fault: draws.under(fault) for fault in chaos.settings}

    def business(self, possible: Collection[FaultId]) -> list[FaultId]:
        """Return the business faults of the episode, of those its scenario has room for, likeliest first.

        As many as the draws come to, but no fewer and no more than the limits say.
        """
        ranked = sorted(
            (self._rank(fault, setting), fault)
            for fault, setting in self.chaos.of(Layer.BUSINESS).items()
            if fault in possible
        )
        least, most = self.chaos.limits.business
        return [fault for place, (rank, fault) in enumerate(ranked) if place < least or rank < 1][:most]

    def incidents(
        self, where: Operation, reaches: Collection[Reach], step: int | None = None
    ) -> list[Incident]:
        """Return the incidents at an operation, one after another, as many as may be stacked there.

        Args:
            where: The operation.
            reaches: What kind of call it is.
            step: The step's number, for profiles that match steps.
        """
        service, operation, object_id = where
        found = sorted(
            (rank, fault)
            for fault, setting in self._calls.items()
            if CATALOGUE[fault].reach in reaches
            and setting.matches(step, service=service, operation=operation, object=object_id)
            and (rank := self._rank(fault, setting, *where)) < 1
        )
        return [self._incident(fault, where) for _, fault in found[: self.chaos.limits.stack]]

    def decide(
        self, where: Operation, reaches: Collection[Reach], history: History, *, step: int
    ) -> Incident | None:
        """Return the incident that this attempt at an operation meets, or None.

        Incidents of an operation follow one another: attempts 0 to l1 - 1 meet the first, the next l2 the second …
        """
        first, attempt = 0, history.attempts.get(where, 0)
        for incident in self.incidents(where, reaches, step):
            if first <= attempt < first + incident.length:
                return incident if self._may_begin(incident, history, step) else None
            first += incident.length
        return None

    @property
    def armed(self) -> dict[str, Any] | None:
        """What services must know to decide about events, plain JSON; None where nothing happens to events."""
        faults = {str(fault): setting for fault, setting in self._events.items()}
        profile = canonical(faults, Limits(event=self.chaos.limits.event))
        return {"key": self._draws.key, "profile": profile} if profile and self.chaos.limits.event else None

    @classmethod
    def of_armed(cls, armed: Mapping[str, Any]) -> "FaultPlan":
        """Return the plan of events that `armed` describes."""
        return cls(Draws.from_key(armed["key"]), Chaos(0, "armed", armed["profile"]))

    def event(
        self,
        name: str,
        object_id: str,
        consumer: str,
        landed: Collection[FaultId],
        possible: Collection[FaultId] = tuple(FaultId),
    ) -> Incident | None:
        """Return the incident that an event meets on its way to a consumer, or None.

        Args:
            name: Name of the event.
            object_id: The object it is about.
            consumer: Name of the service that is to apply it.
            landed: The faults of the event incidents this consumer had in the episode, one entry for each.
            possible: The faults that can befall such an event.
        """
        if len(landed) >= self.chaos.limits.event:
            return None
        where = (name, object_id, consumer)
        found = sorted(
            (rank, fault)
            for fault, setting in self._events.items()
            if fault in possible
            and setting.matches(event=name, object=object_id, consumer=consumer)
            and (rank := self._rank(fault, setting, *where)) < 1
            and list(landed).count(fault) < setting.F
        )
        return self._incident(found[0][1], where) if found else None

    def _may_begin(self, incident: Incident, history: History, step: int) -> bool:
        """Say whether an incident goes on, or may begin: only so many do in an episode, and not too close together."""
        if (incident.fault, incident.where) in history.landed:
            return True
        limits, setting = self.chaos.limits, self.chaos.settings[incident.fault]
        if history.count(Layer.SERVICE) >= limits.service or history.count_of(incident.fault) >= setting.F:
            return False
        begun = [at for (fault, _), at in history.landed.items() if CATALOGUE[fault].layer is Layer.SERVICE]
        return not begun or step - max(begun) > limits.cooldown

    def _rank(self, fault: FaultId, setting: Setting, *where: str) -> float:
        """Return u / p: below 1 iff there is an incident; of several, the least comes first."""
        ranks = self._ranks[fault]
        return (ranks.unit(*where) if where else self._draws.unit(fault)) / setting.p

    def _incident(self, fault: FaultId, where: tuple[str, ...]) -> Incident:
        setting = self.chaos.settings[fault]
        return Incident(
            fault, where, self._draws.integer(f"{fault}.length", 1, setting.B, *where), setting.params
        )

    def draw(self, incident: Incident, name: str, options: Sequence[Any]) -> Any:
        """Return one of the options for an incident, always the same one."""
        return self._draws.choice(f"{incident.fault}.{name}", options, *incident.where)
