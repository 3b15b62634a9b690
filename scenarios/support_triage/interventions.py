"""What other people do about a morning's tickets: colleagues take some, customers write again."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from companyos.sdk.company import Company, Person
from companyos.sdk.company.areas.support import add_intention
from companyos.sdk.simtime import MINUTE

from .cases import CHANGED, NUDGED, TAKEN, WITHDRAWN, Intervention, SupportCase
from .content import ANSWERED, CHANGES, NUDGES, QUESTIONS, WITHDRAWALS
from .pack import wording
from .rulebook import Rulebook
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
#: The latest of these times, in minutes after the start.
_LAST_MIN: Final = 180
#: The latest that a ticket's first answer is due if its customer writes again after that, in minutes after the start.
_DUE_MIN: Final = 200
#: How long after that they write again, in minutes; intake closes ten minutes after the latest deadline.
_AFTER_DUE_MIN: Final = (2, 8)
#: What the first customer who writes again wants, so that something changes every morning.
_FIRST: Final = (CHANGED, CHANGED, WITHDRAWN)
#: What another one wants.
_ANOTHER: Final = (CHANGED, NUDGED, NUDGED)


class Interventions:
    """Draws what other people do, and writes their intentions into the company."""

    def __init__(self, company: Company, rules: Rulebook) -> None:
        self._company = company
        self._rules = rules
        self._draws = company.draws

    def drawn(self, cases: list[SupportCase]) -> list[SupportCase]:
        """Return the cases: one or two customers write again, and a colleague takes at most two tickets.

        Only tickets that no other ticket resembles are drawn, so that each has one right outcome. The first customer
        whose question lies in the queue at the start writes again after the first answer is due, so that nobody can
        wait for it; the question was filed early enough for that.
        """
        alone = self._draws.shuffled("interventions", [case for case in cases if _is_alone(case, cases)])
        questions = sorted((case for case in alone if case.sort == "question"), key=self._arrives)
        most = max(1, len(alone) - 1)
        asked = questions[: min(most, self._draws.integer("asked", 1, 2))]
        rest = [case for case in alone if case not in asked]
        changed = [
            *(self._first(case) for case in asked[:1]),
            *(self._once_more(case) for case in asked[1:]),
            *(self._taken(case) for case in rest[: self._draws.integer("taken", 1, 2)]),
        ]
        by_id = {case.ticket_id: case for case in changed}
        return [by_id.get(case.ticket_id, case) for case in cases]

    def write(self, case: SupportCase, contact: Person, colleague: Person) -> None:
        """Write the intentions of a case's intervention."""
        if case.intervention is None:
            return
        add, at = partial(add_intention, self._company, case.ticket_id), case.intervention.at
        if case.has(TAKEN):
            text = self._draws.choice("answered", ANSWERED, case.ticket_id)
            add(colleague, "take", at=at)
            add(colleague, "answer", at=at + _ANSWERS_S, text=text)
        else:
            add(contact, "write", at=at, text=self._words(case, case.intervention))

    def _arrives(self, case: SupportCase) -> bool:
        """Return whether a ticket arrives during the morning."""
        return case.at > self._company.start

    def _taken(self, case: SupportCase) -> SupportCase:
        minutes = _TAKEN_LATE_MIN if self._arrives(case) else _TAKEN_MIN
        return replace(case, intervention=Intervention(TAKEN, self._time(case, minutes)))

    def _first(self, case: SupportCase) -> SupportCase:
        if self._arrives(case):
            return self._written(case, _FIRST, self._time(case, _WRITES_MIN))
        answer_s = self._rules.answer_s(case.tier, "minor")
        filed = min(case.at, self._company.start + _DUE_MIN * MINUTE - answer_s)
        after_s = self._draws.integer("after_due", *_AFTER_DUE_MIN, case.ticket_id) * MINUTE
        return self._written(replace(case, at=filed), _FIRST, filed + answer_s + after_s)

    def _once_more(self, case: SupportCase) -> SupportCase:
        return self._written(case, _ANOTHER, self._time(case, _WRITES_MIN))

    def _written(self, case: SupportCase, kinds: Sequence[str], at: int) -> SupportCase:
        """Return a case whose customer writes again for one of these reasons."""
        kind = self._draws.choice("writes", kinds, case.ticket_id)
        if kind != CHANGED:
            return replace(case, intervention=Intervention(kind, at))
        topic = self._draws.choice("instead", [one for one in QUESTIONS if one != case.topic], case.ticket_id)
        number = self._draws.integer("instead.thing", 5000, 9999, case.ticket_id)
        return replace(case, intervention=Intervention(kind, at, topic, f"{topic.prefix}-{number}"))

    def _time(self, case: SupportCase, minutes: tuple[int, int]) -> int:
        since = max(case.at, self._company.start)
        at = since + self._draws.integer("intervention.at", *minutes, case.ticket_id) * MINUTE
        return max(since + MINUTE, min(at, self._company.start + _LAST_MIN * MINUTE))

    def _words(self, case: SupportCase, intervention: Intervention) -> str:
        if intervention.topic is not None:
            key = f"{case.ticket_id}.instead"
            _, ask = wording(self._company, intervention.topic, intervention.thing, key)
            return self._draws.choice("changed", CHANGES, case.ticket_id).format(thing=case.thing, ask=ask)
        pool = WITHDRAWALS if intervention.kind == WITHDRAWN else NUDGES
        return self._draws.choice(intervention.kind, pool, case.ticket_id).format(thing=case.thing)


def _is_alone(case: SupportCase, cases: Iterable[SupportCase]) -> bool:
    """Say whether a case is a question or an open defect that no other ticket repeats or resembles."""
    others = [one for one in cases if one is not case and one.topic == case.topic]
    return case.sort in ("question", "defect") and not others
