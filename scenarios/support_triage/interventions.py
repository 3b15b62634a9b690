"""What other people do about a morning's tickets: colleagues take some, customers write again."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Final

from companyos.company import Company, Person
from companyos.company.areas.support import add_intention
from companyos.sdk.simtime import MINUTE

from .cases import CHANGED, NUDGED, TAKEN, WITHDRAWN, Intervention, SupportCase
from .content import ANSWERED, CHANGES, NUDGES, QUESTIONS, WITHDRAWALS
from .pack import wording
from .world import REFRESH_S

#: How long after the start a ticket is taken that lies in the queue by then, in minutes. Until the error rates are
#: read nobody may work a ticket, so to wait for longer brings no colleague who takes one.
_TAKEN_MIN: Final = (4, REFRESH_S // MINUTE - 1)
#: How long after its arrival another one is taken.
_TAKEN_LATE_MIN: Final = (4, 40)
#: How long after that the colleague answers it.
_ANSWERS_S: Final = 25 * MINUTE
#: How long after its arrival, or the start, a customer writes again, in minutes.
_WRITES_MIN: Final = (10, 170)
#: The latest that a customer writes again, in minutes after the start; no question is due earlier.
_LAST_MIN: Final = 180
#: What the first customer who writes again wants, so that something changes every morning.
_FIRST: Final = (CHANGED, CHANGED, WITHDRAWN)
#: What another one wants.
_ANOTHER: Final = (CHANGED, NUDGED, NUDGED)


class Interventions:
    """Draws what other people do, and writes their intentions into the company."""

    def __init__(self, company: Company) -> None:
        self._company = company
        self._draws = company.draws

    def drawn(self, cases: list[SupportCase]) -> list[SupportCase]:
        """Return the cases: one or two customers write again, and a colleague takes at most two tickets.

        Only tickets that no other ticket resembles are drawn, so that each has one right outcome.
        """
        alone = self._draws.shuffled("interventions", [case for case in cases if _is_alone(case, cases)])
        questions = [case for case in alone if case.sort == "question"]
        most = max(1, len(alone) - 1)
        asked = questions[: min(most, self._draws.integer("asked", 1, 2))]
        rest = [case for case in alone if case not in asked]
        interventions = {
            case.ticket_id: self._written(case, _ANOTHER if number else _FIRST)
            for number, case in enumerate(asked)
        }
        interventions |= {
            case.ticket_id: self._taken(case) for case in rest[: self._draws.integer("taken", 1, 2)]
        }
        return [replace(case, intervention=interventions.get(case.ticket_id)) for case in cases]

    def write(self, case: SupportCase, contact: Person, colleague: Person) -> None:
        """Write the intentions of a case's intervention."""
        intervention = case.intervention
        if intervention is None:
            return
        if intervention.kind == TAKEN:
            add_intention(self._company, case.ticket_id, colleague, "take", at=intervention.at)
            text, at = self._draws.choice("answered", ANSWERED, case.ticket_id), intervention.at + _ANSWERS_S
            add_intention(self._company, case.ticket_id, colleague, "answer", at=at, text=text)
            return
        add_intention(
            self._company,
            case.ticket_id,
            contact,
            "write",
            at=intervention.at,
            text=self._words(case, intervention),
        )

    def _taken(self, case: SupportCase) -> Intervention:
        minutes = _TAKEN_LATE_MIN if case.at > self._company.start else _TAKEN_MIN
        return Intervention(TAKEN, self._time(case, minutes))

    def _written(self, case: SupportCase, kinds: Sequence[str]) -> Intervention:
        kind, at = self._draws.choice("writes", kinds, case.ticket_id), self._time(case, _WRITES_MIN)
        if kind != CHANGED:
            return Intervention(kind, at)
        others = [topic for topic in QUESTIONS if topic != case.topic]
        topic = self._draws.choice("instead", others, case.ticket_id)
        return Intervention(
            kind,
            at,
            topic,
            f"{topic.prefix}-{self._draws.integer('instead.thing', 5000, 9999, case.ticket_id)}",
        )

    def _time(self, case: SupportCase, minutes: tuple[int, int]) -> int:
        since = max(case.at, self._company.start)
        at = since + self._draws.integer("intervention.at", *minutes, case.ticket_id) * MINUTE
        return max(since + MINUTE, min(at, self._company.start + _LAST_MIN * MINUTE))

    def _words(self, case: SupportCase, intervention: Intervention) -> str:
        if intervention.topic is not None:
            _, ask = wording(
                self._company, intervention.topic, intervention.thing, f"{case.ticket_id}.instead"
            )
            return self._draws.choice("changed", CHANGES, case.ticket_id).format(thing=case.thing, ask=ask)
        pool = WITHDRAWALS if intervention.kind == WITHDRAWN else NUDGES
        return self._draws.choice(intervention.kind, pool, case.ticket_id).format(thing=case.thing)


def _is_alone(case: SupportCase, cases: Iterable[SupportCase]) -> bool:
    """Say whether a case is a question or an open defect that no other ticket repeats or resembles."""
    others = [one for one in cases if one is not case and one.topic == case.topic]
    return case.sort in ("question", "defect") and not others
