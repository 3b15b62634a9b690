"""The rows that an agent may write while it makes a change."""

from collections.abc import Iterator
from typing import Final

from companyos.company import allowances
from companyos.scenario import Allowance, Table, one_of

from .change import PlannedChange

ASSETS: Final[Table] = ("datahub", "assets")
#: The most runs of the ceiling, and the most comments on the project's ticket and messages about it.
_RUNS = 5


def allowed(change: PlannedChange) -> tuple[Allowance, ...]:
    """Return what a change may write; if it is impossible, nothing is moved."""
    moved = () if change.order is None else (*_hand_overs(change), *_loans(change))
    return (*moved, *_project(change))


def _hand_overs(change: PlannedChange) -> Iterator[Allowance]:
    for move in change.made:
        yield Allowance(ASSETS, {"holder": move.to}, key=move.asset["id"])
        yield Allowance(
            ASSETS,
            {"holder": None},
            key=move.asset["id"],
            harmless="returning an asset of the list to the pool before its new holder gets it",
        )
        yield Allowance(
            allowances.TICKETS,
            {"assignee": change.me.id, "status": one_of("triage", "in_progress")},
            key=move.ticket["id"],
            harmless="taking and beginning the ticket of a hand-over that can be made without it",
        )
    if change.keeps_high:
        yield Allowance(allowances.TICKETS, {"priority": "high"}, key=change.project["id"])


def _loans(change: PlannedChange) -> Iterator[Allowance]:
    taking_part = {holder for move in change.moves for holder in (move.asset["holder"], move.to)}
    for spare in change.spares:
        yield Allowance(
            ASSETS,
            {"holder": one_of(*taking_part, None)},
            key=spare["id"],
            reverted=True,
            harmless="lending a spare to somebody of the list until the change is made",
        )


def _project(change: PlannedChange) -> Iterator[Allowance]:
    ticket_id = change.project["id"]
    yield allowances.refreshes(change.metric["id"], at_most=_RUNS, harmless="a run of the ceiling")
    yield allowances.progress(
        ticket_id,
        change.me.id,
        ends=change.order is not None,
        harmless="taking the project's ticket, and its progress",
    )
    yield from allowances.correspondence(change.project, task="the project")
