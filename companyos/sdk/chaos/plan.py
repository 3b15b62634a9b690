"""The fault plan, which alone decides which faults happen, by keyed hashes over stable names.

A decision is `u = draws.unit(fault id, coordinates)`; a place has an incident iff `u < p`. Nothing else
matters: neither order, process, load, nor an agent's wording. A *transient* fault is an incident at a logical
operation (service, operation, object) that spoils its first attempts and never recurs. F of each fault and
the limits of its layer bound the number of incidents in an episode; the step records say which ones happened.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from companyos.sdk.draws import Draws

from .catalog import CATALOG, FaultId, Layer, Reach
from .profile import Chaos, Limits, Setting, canonical

#: Service, operation and object ("" if none) of a call.
Operation = tuple[str, str, str]


@dataclass(frozen=True)
class Incident:
    """A fault at a place.

    Attributes:
        where: The operation, or (event, object, consumer).
        length: The number of attempts that it spoils.
        params: The parameters of its fault.
    """

    fault: FaultId
    where: tuple[str, ...]
    length: int
    params: Mapping[str, Any]


@dataclass
class History:
    """The part of an episode's past that a plan depends on, as recorded in its steps.

    Attributes:
        attempts: The number of spoiled attempts at each operation.
        landed: The step at which each incident began.
    """

    attempts: dict[Operation, int] = field(default_factory=dict)
    landed: dict[tuple[FaultId, tuple[str, ...]], int] = field(default_factory=dict)

    def copy(self) -> "History":
        """Return an independent copy."""
        return History(dict(self.attempts), dict(self.landed))

    def count(self, layer: Layer) -> int:
        """Return how many incidents of a layer began."""
        return sum(CATALOG[fault].layer is layer for fault, _ in self.landed)

    def count_of(self, fault: FaultId) -> int:
        """Return how many incidents of a fault began."""
        return sum(one is fault for one, _ in self.landed)


class FaultPlan:
    """The faults of one episode.

    Args:
        draws: The episode's draws: salt, scenario, version, counterfactual pair and chaos digest.
        chaos: The chaos setting.
    """

    def __init__(self, draws: Draws, chaos: Chaos) -> None:
        self.chaos = chaos
        self._draws = draws
        self._calls = chaos.of(Layer.SERVICE)
        self._events = chaos.of(Layer.EVENT)
        self._ranks = {fault: draws.under(fault) for fault in chaos.settings}

    def business(self, possible: Collection[FaultId]) -> list[FaultId]:
        """Return the episode's business faults, out of those that its scenario supports, likeliest first.

        The draws decide how many, within the limits.
        """
        ranked = sorted(
            (self._rank(fault, setting), fault)
            for fault, setting in self.chaos.of(Layer.BUSINESS).items()
            if fault in possible
        )
        least, most = self.chaos.limits.business
        return [fault for index, (rank, fault) in enumerate(ranked) if index < least or rank < 1][:most]

    def incidents(
        self, where: Operation, reaches: Collection[Reach], step: int | None = None
    ) -> list[Incident]:
        """Return the incidents at an operation in order, up to the limit on stacked incidents.

        Args:
            where: The operation.
            reaches: The kind of call.
            step: The step's number, for profiles that match steps.
        """
        service, operation, object_id = where
        found = sorted(
            (rank, fault)
            for fault, setting in self._calls.items()
            if CATALOG[fault].reach in reaches
            and setting.matches(step, service=service, operation=operation, object=object_id)
            and (rank := self._rank(fault, setting, *where)) < 1
        )
        return [self._incident(fault, where) for _, fault in found[: self.chaos.limits.stack]]

    def decide(
        self, where: Operation, reaches: Collection[Reach], history: History, *, step: int
    ) -> Incident | None:
        """Return the incident that this attempt at an operation meets, or None.

        Incidents at an operation are consecutive: attempts 0 to l1 - 1 meet the first, the next l2 the second
        and so on.
        """
        first, attempt = 0, history.attempts.get(where, 0)
        for incident in self.incidents(where, reaches, step):
            if first <= attempt < first + incident.length:
                return incident if self._may_begin(incident, history, step) else None
            first += incident.length
        return None

    @classmethod
    def of_seed(cls, salt: str, scenario: str, version: int, seed: int, chaos: Chaos) -> "FaultPlan":
        """Return the plan of an episode; both seeds of a counterfactual pair, 2k and 2k + 1, share it.

        Otherwise the faults would distinguish the pair before any action depends on the hidden cause.
        """
        return cls(Draws(salt, scenario, version, seed // 2, chaos.digest), chaos)

    @property
    def armed(self) -> dict[str, Any] | None:
        """The event fault plan for services, as plain JSON; None without event faults."""
        faults = {str(fault): setting for fault, setting in self._events.items()}
        profile = canonical(faults, Limits(event=self.chaos.limits.event))
        return {"key": self._draws.key, "profile": profile} if profile and self.chaos.limits.event else None

    @classmethod
    def of_armed(cls, armed: Mapping[str, Any]) -> "FaultPlan":
        """Return the event fault plan that `armed` describes."""
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
            object_id: The object that the event is about.
            consumer: Name of the consuming service.
            landed: The faults of this consumer's event incidents in the episode so far, one entry each.
            possible: The faults that such an event can meet.
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
        """Say whether an incident continues, or may begin within the limits on number and spacing."""
        if (incident.fault, incident.where) in history.landed:
            return True
        limits, setting = self.chaos.limits, self.chaos.settings[incident.fault]
        if history.count(Layer.SERVICE) >= limits.service or history.count_of(incident.fault) >= setting.F:
            return False
        begun = [at for (fault, _), at in history.landed.items() if CATALOG[fault].layer is Layer.SERVICE]
        return not begun or step - max(begun) > limits.cooldown

    def _rank(self, fault: FaultId, setting: Setting, *where: str) -> float:
        """Return u / p, which is below 1 iff there is an incident; the lowest rank comes first."""
        ranks = self._ranks[fault]
        return (ranks.unit(*where) if where else self._draws.unit(fault)) / setting.p

    def _incident(self, fault: FaultId, where: tuple[str, ...]) -> Incident:
        setting = self.chaos.settings[fault]
        return Incident(
            fault, where, self._draws.integer(f"{fault}.length", 1, setting.B, *where), setting.params
        )

    def draw(self, incident: Incident, name: str, options: Sequence[Any]) -> Any:
        """Return one of the options for an incident; the result is the same every time."""
        return self._draws.choice(f"{incident.fault}.{name}", options, *incident.where)
