"""The rows that the agent may write in an approval task."""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Final

from companyos.sdk.company import Row
from companyos.sdk.company import allowances as usual
from companyos.sdk.scenario import ANYTHING, Allowance, one_of, within

from . import checks
from .facts import TaskFacts

#: Further runs of a metric, which may be out of date again before the decision, besides one for each objection.
_MORE_RUNS: Final = 10
#: Further attempts at a request that a new policy or new facts void.
_MORE_ATTEMPTS: Final = 2
_OPEN: Final = ("blocked", "triage", "verified", "in_progress")


def shared(facts: TaskFacts) -> Iterator[Allowance]:
    """Yield what every task may write, whatever its outcome."""
    ticket_id = facts.ticket["id"]
    yield Allowance(
        usual.TICKETS,
        {**_fills(facts), "assignee": facts.persona.id},
        key=ticket_id,
        harmless="filling in and taking a ticket whose outcome needs neither",
    )
    yield usual.comments(ticket_id, at_most=3, harmless="a comment on the task's ticket")
    yield usual.messages(
        facts.ticket["reporter"],
        [ticket_id, *_papers(facts)],
        at_most=2,
        harmless="a message to its reporter about the ticket, or what it is about",
    )
    yield usual.relations(
        ticket_id,
        _case(facts),
        harmless="a link from the ticket to what it is about",
    )
    runs = len(facts.measurement.failures) + 1 + len(facts.objections) + _MORE_RUNS
    for metric_id in facts.refreshable:
        yield usual.refreshes(metric_id, at_most=runs, harmless="a further run of a metric of the task")
    if facts.wrong_record is not None:
        key = facts.wrong_record["id"]
        yield Allowance(usual.RECORDS, {"fields": facts.correction}, key=key)
    if facts.lacks is not None:
        yield usual.access(facts.lacks["id"])


def verification(facts: TaskFacts) -> Iterator[Allowance]:
    """Yield what the verification of the ticket and of its blockers may write."""
    known = {facts.ticket["id"], *_papers(facts), *facts.refreshable}
    for ticket in (facts.ticket, *facts.blockers):
        own = {ticket["id"], ticket["subject"], *ticket["blocked_by"]}
        is_own = ticket is facts.ticket
        yield Allowance(
            usual.TICKETS,
            {
                "status": one_of(*_OPEN) if is_own else one_of(*_towards_done(ticket)),
                "blocked_by": within(ticket["blocked_by"]),
                # A colleague's ticket may be verified, but not reopened, which takes the evidence away.
                "evidence": ANYTHING if is_own else bool,
                "references": within(known | own),
            },
            key=ticket["id"],
            harmless="verifying a ticket of the task whose outcome does not need it",
        )
        if not is_own:
            yield from _messages(
                facts, {ticket["assignee"], ticket["reporter"]}, ticket["id"], "whose work it is"
            )


def requests(facts: TaskFacts) -> Iterator[Allowance]:
    """Yield the requests for the task's decision, and what may be said about them to those who may decide."""
    known = {**facts.further, **facts.fields}
    route = facts.route

    def are_true(fields: Mapping[str, Any]) -> bool:
        return all(name in known and checks.is_same(value, known[name]) for name, value in fields.items())

    deciders = {*(link.person for link in route.links), *route.others}
    yield usual.new_requests(
        facts.type_id,
        approver=one_of(*deciders),
        fields=are_true,
        ticket_id=facts.ticket["id"],
        at_most=1 + len(facts.objections) + _MORE_ATTEMPTS,
        evidence=usual.has_attached([*_papers(facts), facts.ticket["id"]]),
        supersedes=ANYTHING,
    )
    yield from _messages(facts, deciders, facts.ticket["id"], "who may decide it")


def returned(facts: TaskFacts) -> tuple[Allowance, ...]:
    """Return what the return of the ticket to its reporter may write."""
    return usual.returned(facts.ticket["id"], [*_papers(facts), facts.ticket["id"]])


def _messages(
    facts: TaskFacts, people: Collection[str | None], about: str, office: str
) -> Iterator[Allowance]:
    """Yield the messages about a ticket, or what was made for it, to people whom its right outcome concerns."""
    for person in sorted({*people} - {None, facts.persona.id, facts.ticket["reporter"]}, key=str):
        yield usual.messages(
            str(person),
            [about],
            at_most=2,
            harmless=f"a message about a ticket of the task to somebody {office}",
        )


def _case(facts: TaskFacts) -> list[str]:
    """Return the ids of what the ticket is about: the record, all that is measured of it, and its form."""
    return [facts.record["id"], facts.metric["id"], *facts.metrics, *facts.documents]


def _papers(facts: TaskFacts) -> list[str]:
    """Return the ids of what the ticket is about, and of the list of what is on hold, if there is one."""
    return [*_case(facts), *([facts.exclusions["id"]] if facts.exclusions else ())]


def _towards_done(ticket: Row) -> tuple[str, ...]:
    """Return the statuses that a blocker may be given on its way to the end of the work."""
    return ("done",) if ticket["status"] == "done" else (*_OPEN, "done")


def _fills(facts: TaskFacts) -> dict[str, Any]:
    """Return the ticket's fields that nobody has filled in, with their right values."""
    right = {
        "priority": one_of(*facts.priorities),
        "subject": facts.record["id"],
        "cost_centre": facts.cost_centre,
    }
    return {name: value for name, value in right.items() if facts.ticket[name] is None}
