"""What other people do about a morning's tickets: colleagues take some, customers write again."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from companyos.company import Company, Person
from companyos.company.areas.support import intend
from companyos.sdk.simtime import MINUTE

from .cases import CHANGED, NUDGED, TAKEN, WITHDRAWN, Intervention, SupportCase
from .content import ANSWERED, CHANGES, NUDGES, QUESTIONS, WITHDRAWALS
from .pack import wording

#: How long after its arrival, or the start, a ticket is taken, in minutes.
_TAKEN_MIN: Final = (4, 40)
#: How long after that the colleague answers it.
_ANSWERS_S: Final = 25 * MINUTE
#: How long after its arrival, or the start, a customer writes again, in minutes.
_WRITES_MIN: Final = (10, 170)
#: No customer writes later than this after the start: in time for the first answer at every priority.
_LAST_MIN: Final = 180
#: What customers who write again want, as often as it is listed.
_WRITES: Final = (CHANGED, CHANGED, WITHDRAWN, NUDGED)


class Interventions:
    """Draws what other people do, and writes their intentions into the company."""

    def __init__(self, company: Company) -> None:
        self._company = company
        self._draws = company.draws

    def drawn(self, cases: list[SupportCase]) -> list[SupportCase]:
        """Return the cases, in some of which somebody else acts: one or two colleagues, and one or two customers.

        They act only on tickets that no other one resembles, so that which of two counts is never in doubt.
        """
        alone = self._draws.shuffled("interventions", [case for case in cases if _is_alone(case, cases)])
        questions = [case for case in alone if case.sort == "question"]
        asked = questions[: self._draws.integer("asked", 1, 2)]
        rest = [case for case in alone if case not in asked]
        interventions = {case.ticket_id: self._written(case) for case in asked}
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
            intend(self._company, case.ticket_id, colleague, "take", at=intervention.at)
            text, at = self._draws.choice("answered", ANSWERED, case.ticket_id), intervention.at + _ANSWERS_S
            intend(self._company, case.ticket_id, colleague, "answer", at=at, text=text)
            return
        intend(
            self._company,
            case.ticket_id,
            contact,
            "write",
            at=intervention.at,
            text=self._words(case, intervention),
        )

    def _taken(self, case: SupportCase) -> Intervention:
        return Intervention(TAKEN, self._time(case, _TAKEN_MIN))

    def _written(self, case: SupportCase) -> Intervention:
        kind, at = self._draws.choice("writes", _WRITES, case.ticket_id), self._time(case, _WRITES_MIN)
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
