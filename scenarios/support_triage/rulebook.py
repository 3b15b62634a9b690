"""The drawn rules of an instance's support desk, and the handbook chapter that states them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from companyos.sdk.documents import Each, Template
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import HOUR, MINUTE

from .content import DEFECTS, FAILURE, PRIORITIES, QUESTIONS, TIERS

URGENCIES: Final = ("critical", "normal", "minor")
FROZEN: Final = "major_incident"

#: Matrices, one of which is in force: the priorities of each tier by urgency, from critical to minor.
_MATRICES: Final = (
    (("urgent", "high", "medium"), ("high", "medium", "low"), ("medium", "low", "low")),
    (("urgent", "urgent", "high"), ("urgent", "high", "medium"), ("high", "medium", "low")),
    (("urgent", "high", "high"), ("high", "high", "medium"), ("high", "medium", "low")),
    (("urgent", "medium", "medium"), ("urgent", "medium", "low"), ("high", "medium", "low")),
)
#: Queues that may take each topic; the first option always differs from the second.
_TAKERS: Final[Mapping[str, tuple[str, ...]]] = {
    "invoices": ("billing", "care"),
    "cards": ("billing", "care", "privacy"),
    "keys": ("integrations", "engineering", "care"),
    "retention": ("privacy", "care"),
    "exports": ("care", "integrations"),
    "down": ("platform", "engineering"),
    "defect": ("engineering", "integrations"),
}
#: Deadlines of first answers by priority, for the lowest tier; higher tiers are answered sooner. The shortest leaves
#: room for three outages of half an hour each, as the highest level of chaos has them; the longest is short enough for
#: a question filed before the start to be due before intake closes.
_ANSWER_S: Final = {
    "urgent": 3 * HOUR + 30 * MINUTE,
    "high": 3 * HOUR + 40 * MINUTE,
    "medium": 3 * HOUR + 50 * MINUTE,
    "low": 4 * HOUR,
}
_SOONER_S: Final = {"premium": 30 * MINUTE, "plus": 15 * MINUTE, "standard": 0}


@dataclass(frozen=True)
class Rulebook:
    """The rules by which one company works its support queue.

    Attributes:
        matrix: The priority of a contract tier and an urgency.
        takers: The queue that takes a topic, a failure of a service that is `down`, or a `defect`.
        limit: Error rate in percent above which a service is down.
    """

    matrix: Mapping[tuple[str, str], str]
    takers: Mapping[str, str]
    limit: int

    def answer_s(self, tier: str, urgency: str) -> int:
        """Return how soon the first answer to a ticket is due, in seconds of opening hours."""
        return answer_s()[tier, self.matrix[tier, urgency]]


def answer_s() -> dict[tuple[str, str], int]:
    """Return how soon a first answer is due by tier and priority, in seconds of opening hours."""
    return {(tier, one): _ANSWER_S[one] - _SOONER_S[tier] for tier in TIERS for one in PRIORITIES}


def draw(draws: Draws) -> tuple[Rulebook, Rulebook]:
    """Return the rules in force and the previous rules, which differ in the matrix and in every queue."""
    matrices = draws.shuffled("rules.matrix", _MATRICES)
    takers = {topic: draws.shuffled("rules.taker", queues, topic) for topic, queues in _TAKERS.items()}
    limit = draws.integer("rules.limit", 4, 9)
    now, before = (
        Rulebook(_by_tier(matrices[at]), {topic: queues[at] for topic, queues in takers.items()}, limit)
        for at in (0, 1)
    )
    return now, before


def handbook(rules: Rulebook, services: Sequence[str]) -> str:
    """Return the chapter of the handbook that states these rules."""
    levels = answer_s()
    return CHAPTER.write(
        first=services[0],
        second=services[1],
        limit=rules.limit,
        frozen=FROZEN,
        routes=list(_routes(rules)),
        matrix=[
            {"tier": tier, **{urgency: rules.matrix[tier, urgency] for urgency in URGENCIES}}
            for tier in TIERS
        ],
        levels=[{"tier": tier, **{one: levels[tier, one] // MINUTE for one in PRIORITIES}} for tier in TIERS],
    )


def _by_tier(rows: tuple[tuple[str, ...], ...]) -> dict[tuple[str, str], str]:
    return {
        (tier, urgency): priority
        for tier, row in zip(TIERS, rows, strict=True)
        for urgency, priority in zip(URGENCIES, row, strict=True)
    }


def _routes(rules: Rulebook) -> Iterator[dict[str, str]]:
    for topic in QUESTIONS:
        yield {"about": topic.about, "queue": rules.takers[topic.id]}
    yield {"about": f"{FAILURE.about}, service up", "queue": rules.takers["exports"]}
    yield {"about": f"{FAILURE.about}, service down", "queue": rules.takers["down"]}
    defects = " or ".join(defect.about for defect in DEFECTS)
    yield {"about": f"a defect that is still open ({defects})", "queue": rules.takers["defect"]}


CHAPTER: Final = Template(
    """\
This chapter of the handbook says what happens to a ticket in `intake`, from its arrival to its first answer.

## Before anything else

Exports run on {first} and {second}. Read the `error_rate` of both, refreshed today within the hour; \
yesterday's says nothing. A service above {limit:d} % is down. If both are down, that is a major incident: the \
queue is frozen and nobody touches a ticket. Whoever has the desk gives it back with the code `{frozen}`, \
and the ids of both metrics as evidence.

## Where a ticket goes

| it is about | queue |
|---|---|
{routes}

Which service runs a customer's exports is in `served_by` of the account's record.

## Priority

The impact is the tier of the customer's contract: the edition in force, from the day it takes effect. \
Drafts do not count. Records of accounts, and the tier that TicketDesk shows, follow a renewal days later. \
The urgency is `critical` for exports of a service that is down, `normal` for other exports and for defects, \
and `minor` for every other question. How loud somebody is does not matter.

| tier | critical | normal | minor |
|---|---|---|---|
{matrix}

## The first answer

Counted from the ticket's arrival, by the tier of the contract and the priority:

| tier | urgent | high | medium | low |
|---|---|---|---|---|
{levels}

A question is answered from the article of Support that is in force, and that document goes with the answer, \
no other. The same for exports while the service is up. For exports of a service that is down, the notice \
about that service goes with the answer, and the ticket is linked (`relates`) to that service's incident and \
to no other. A defect that the latest release notes in force name as fixed is answered with those notes, and \
the ticket is closed: its queue and priority are left as they are. A defect that is still open is answered with \
the known issues.

## Duplicates

A later ticket of the same customer about the same thing (invoice, export, key …) is merged into the earlier \
one, and nothing else is done to it. Another thing, or another customer, is another ticket.

## What cannot be worked

A ticket that does not say what it is about goes back to its reporter with a question, and keeps its queue and priority.

## Who else is at work

A ticket that a colleague took before you worked on it is assigned to them and is theirs: do nothing to it.

Customers may write again until intake closes: `reporter_wrote_at` shows when, the comments show what. The last \
request counts: it is answered on the same ticket, even after a first answer, and decides the queue. A ticket \
whose question is withdrawn is closed: its queue and priority are left as they are.

## Escalation

Besides being answered, an `urgent` ticket is assigned to the person on call for the queue it goes to \
(ticketdesk_list_queues). Assign no other ticket.""",
    routes=Each("| {about} | `{queue}` |"),
    matrix=Each("| {tier} | {critical} | {normal} | {minor} |"),
    levels=Each("| {tier} | {urgent:d} min | {high:d} min | {medium:d} min | {low:d} min |"),
)
