"""The part of the playbook that finds the approver: from the role's holder along the chain of delegates."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from companyos.sdk.scenario import Observation
from companyos.sdk.scripts.asking import Answer, Asker, Play
from companyos.sdk.simtime import from_iso


@dataclass(frozen=True)
class _Seat:
    """A person in a chain, with the time of their return and whether their delegation is valid here."""

    person: str
    back_at: int
    barred: bool
    leads_on: bool


@dataclass
class _Chain:
    """The known chain of delegates for a role; absences do not change during a task."""

    seats: list[_Seat] = field(default_factory=list)
    others: list[str] = field(default_factory=list)

    def end(self, at: int) -> str | None:
        """Return who decides at a time; None if the chain ends before it reaches anybody."""
        for seat in self.seats:
            if at >= seat.back_at and not seat.barred:
                return seat.person
            if not seat.leads_on:
                return None
        return None

    def opening(self, now: int, lasts_s: int) -> tuple[int, str] | None:
        """Return the earliest time, and the approver, at which the approver stays the same for `lasts_s`."""
        for at in sorted({now, *(seat.back_at for seat in self.seats if seat.back_at > now)}):
            person = self.end(at)
            if person is not None and person == self.end(at + lasts_s):
                return at, person
        return None


class Deciders(Asker):
    """An employee's search for the approver."""

    def __init__(self, observation: Observation) -> None:
        super().__init__(observation)
        self._chains: dict[tuple[str, frozenset[str]], _Chain] = {}
        self._objectors: set[str] = set()

    def spare(self, objector: str) -> None:
        """Stop asking this person, who asked for a second approver."""
        self._objectors.add(objector)

    def decider(self, policy: Answer, metric: float, involved: Collection[str] = ()) -> Play[str]:
        """Return a person who may decide from now until the request is decided; wait for them if necessary.

        Args:
            policy: The approval type's policy.
            metric: The metric that the decision is based on; it is the amount where amounts matter.
            involved: The people who reported or verified the ticket.
        """
        barred = frozenset(self._objectors | ({self.id, *involved} if policy["sod"] else set()))
        amount = metric if any(route["below"] is not None for route in policy["routes"]) else None
        role = _role(policy["routes"], amount)
        if (role, barred) not in self._chains:
            self._chains[role, barred] = yield from self._chain(role, policy["id"], amount, barred)
        chain = self._chains[role, barred]
        lasts_s = 2 * policy["decision_s"]
        opening = chain.opening(self.now, lasts_s)
        if opening is None or opening[0] > self.now:
            other = yield from self._another(chain.others, barred)
            if other is not None:
                return other
        if opening is None:
            raise LookupError("nobody will ever decide this")
        yield from self.wait_until(opening[0])
        return opening[1]

    def _chain(self, role: str, type_id: str, amount: float | None, barred: Collection[str]) -> Play[_Chain]:
        holder = yield from self.ask("datahub_get_approver", role=role)
        chain, deputy = _Chain(others=holder["others"]), holder["delegate"]
        leads_on = deputy is not None and _covers(deputy, type_id, amount)
        chain.seats.append(_seat(holder, barred, leads_on))
        if not self._goes_on(chain):
            return chain
        if deputy["available"] and deputy["id"] not in barred:
            chain.seats.append(_seat(deputy, barred, leads_on=False))
            return chain
        following = deputy["id"]
        while following is not None and following not in [seat.person for seat in chain.seats]:
            person = yield from self.ask("datahub_get_person", person_id=following)
            leads_on = person["delegate"] is not None and _covers(person, type_id, amount)
            chain.seats.append(_seat(person, barred, leads_on))
            following = person["delegate"] if self._goes_on(chain) else None
        return chain

    def _goes_on(self, chain: _Chain) -> bool:
        last = chain.seats[-1]
        return last.leads_on and (last.barred or last.back_at > self.now)

    def _another(self, others: Sequence[str], barred: Collection[str]) -> Play[str | None]:
        """Return another holder of the role who is present and may decide."""
        for other in [one for one in others if one not in barred]:
            person = yield from self.ask("datahub_get_person", person_id=other)
            if not person["is_away"]:
                return other
        return None


def _seat(person: Answer, barred: Collection[str], leads_on: bool) -> _Seat:
    back_at = from_iso(person["away_until"]) if person["away_until"] else 0
    return _Seat(str(person["id"]), back_at, person["id"] in barred, leads_on)


def _role(routes: Sequence[Answer], amount: float | None) -> str:
    covering = (
        route
        for route in routes
        if route["below"] is None or (amount is not None and amount < route["below"])
    )
    return str(next(covering)["role"])


def _covers(delegation: Answer, type_id: str, amount: float | None) -> bool:
    limit = delegation["delegate_limit"]
    return type_id in delegation["delegate_types"] and (limit is None or amount is None or amount <= limit)
