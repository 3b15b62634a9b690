"""What else an agent does during an audit: it costs success, unless the card says that it is harmless."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from companyos.company.allowances import COMMENTS, JOBS, LINKS, MESSAGES, TICKETS
from companyos.scenario import Action, Row, Table, call
from scenarios.data_quality_audit.allowances import allowed
from scenarios.data_quality_audit.facts import Facts
from tests.allowances import unexplained

from .grades import drawn_for
from .test_play import FULL, broken, drawn, first, outcome, plan

FACTS = drawn_for().facts
BACK = drawn_for(lacks_release=True).facts
CLEAN = replace(FACTS, requests=[])
AUDIT, LOST = FACTS.ticket["id"], FACTS.voided[0]["ticket_id"]
METRICS, QUARANTINES = ("datahub", "metrics"), ("datahub", "quarantines")
NEW, EARLIER = min(FACTS.new), FACTS.earlier
SOUND = min(FACTS.totals - FACTS.wanted - {EARLIER})


def columns_left(facts: Facts, table: Table, before: Row | None = None, **columns: Any) -> set[str]:
    """Return what nothing explains if these columns of a row are written, or a new row with them."""
    row = {**(before or {"id": "NEW-1"}), **columns}
    return set(unexplained(allowed(facts), table, row, before=before))


def link(one: str, other: str, kind: str = "relates") -> Row:
    return {"ticket_id": one, "target": other, "kind": kind}


@pytest.mark.parametrize(
    ("table", "row", "outside"),
    [
        (QUARANTINES, {"metric_id": NEW, "reason": "Rests on a failed feed."}, set()),
        (QUARANTINES, {"metric_id": SOUND, "reason": "To be safe."}, {"metric_id"}),
        (QUARANTINES, {"metric_id": NEW, "release_reason": "Sound."}, {"release_reason"}),
        (LINKS, link(LOST, AUDIT), set()),
        (LINKS, link(AUDIT, LOST), set()),
        (LINKS, link(LOST, AUDIT, "blocks"), {"kind"}),
        (LINKS, link(LOST, AUDIT, "duplicates"), {"kind"}),
        (LINKS, link(LOST, "TD-9999"), {"target"}),
        (LINKS, link("TD-9999", AUDIT), {"ticket_id"}),
        (COMMENTS, {"ticket_id": AUDIT, "body": "All are sound."}, {"*"}),
        (COMMENTS, {"ticket_id": LOST, "body": "Your fault."}, {"*"}),
        (JOBS, {"metric_id": FACTS.controls[0]["id"]}, set()),
        (JOBS, {"metric_id": FACTS.feeds[-1].metric["id"]}, set()),
        (JOBS, {"metric_id": "MET-9999"}, {"metric_id"}),
        (MESSAGES, {"recipient": FACTS.ticket["reporter"], "about": AUDIT, "body": "?"}, set()),
        (MESSAGES, {"recipient": "zoe.stranger", "about": AUDIT, "body": "?"}, {"recipient"}),
    ],
)
def test_an_audit_adds_what_it_needs(table: Table, row: Row, outside: set[str]) -> None:
    assert columns_left(FACTS, table, **row) == outside


@pytest.mark.parametrize(
    ("metric_id", "before", "after", "is_allowed"),
    [
        (NEW, "ok", "quarantined", True),
        (NEW, "quarantined", "ok", False),
        (EARLIER, "quarantined", "ok", True),
        (EARLIER, "ok", "quarantined", False),
        (SOUND, "ok", "quarantined", False),
    ],
)
def test_a_status_changes_in_the_right_direction(
    metric_id: str, before: str, after: str, *, is_allowed: bool
) -> None:
    row = {"id": metric_id, "status": before, "version": 3}

    assert (not columns_left(FACTS, METRICS, row, status=after)) is is_allowed
    assert columns_left(BACK, METRICS, row, status=after) == {"status"}


@pytest.mark.parametrize(
    ("columns", "outside"),
    [
        ({"assignee": FACTS.me.id, "status": "done"}, set()),
        ({"assignee": "zoe.stranger"}, {"assignee"}),
        ({"status": "closed", "resolution": "-"}, {"status", "resolution"}),
        ({"subject": "FEED-1"}, {"subject"}),
    ],
    ids=lambda one: "-".join(sorted(one)),
)
def test_the_ticket_of_the_audit_is_taken_and_done(columns: Row, outside: set[str]) -> None:
    before = {**FACTS.ticket, "assignee": None}

    assert columns_left(FACTS, TICKETS, before, **columns) == outside
    assert columns_left(FACTS, TICKETS, {**before, "id": LOST}, assignee=FACTS.me.id) == {"assignee"}


@pytest.mark.parametrize("facts", [BACK, CLEAN], ids=["handed back", "no request lost"])
def test_where_no_ticket_is_linked_the_audits_may_have_comments(facts: Facts) -> None:
    assert not columns_left(facts, COMMENTS, ticket_id=facts.ticket["id"], body="It is done.")
    assert columns_left(facts, COMMENTS, ticket_id="TD-9999", body="It is done.") == {"ticket_id"}
    assert columns_left(facts, LINKS, **link(LOST, facts.ticket["id"]))


def ends(seed: int, *acts: Action) -> list[Action]:
    return [*plan(seed)[:-1], *acts, plan(seed)[-1]]


def ticket(seed: int) -> Row:
    rows = drawn(seed).rows["ticketdesk"]["tickets"]
    return next(row for row in rows if row["id"] == drawn(seed).goal["ticket_id"])


def comment(on: str) -> Action:
    return call("ticketdesk_add_comment", ticket_id=on, body="Nothing is wrong with any feed.")


def joined(kind: str) -> Action:
    goal = drawn(FULL).goal
    return call("ticketdesk_link_ticket", ticket_id=goal["tickets"][0], kind=kind, target=goal["ticket_id"])


def message(seed: int, to: str) -> Action:
    return call("datahub_message_colleague", to=to, about=ticket(seed)["id"], body="Nobody cares.")


def stranger() -> str:
    taking_part = {drawn(FULL).persona.id, ticket(FULL)["reporter"]}
    people = drawn(FULL).rows["datahub"]["people"]
    return min(str(row["id"]) for row in people if row["active"] and row["id"] not in taking_part)


def on_and_off(metric_id: str, *tools: str) -> list[Action]:
    return [call(f"datahub_{tool}_metric", metric_id=metric_id, reason="To be safe.") for tool in tools]


EXTRA: dict[str, Callable[[], list[Action]]] = {
    "comment on the audit's ticket": lambda: [comment(ticket(FULL)["id"])],
    "comment on a request's ticket": lambda: [comment(drawn(FULL).goal["tickets"][0])],
    "a blocking link": lambda: [joined("blocks")],
    "a duplicating link": lambda: [joined("duplicates")],
    "a right quarantine lifted and put back": lambda: on_and_off(
        drawn(FULL).goal["new"][0], "release", "quarantine"
    ),
    "a release undone and done again": lambda: on_and_off(
        drawn(FULL).goal["released"][0], "quarantine", "release"
    ),
    "a stranger told": lambda: [message(FULL, stranger())],
}


@pytest.mark.parametrize("name", EXTRA)
def test_an_extra_act_costs_success(url: str, name: str) -> None:
    episode = outcome(url, ends(FULL, *EXTRA[name]()))

    assert not episode.success
    assert episode.grade["collateral"]


@pytest.mark.parametrize(
    "seed", [first(feasible=False), first(failed=False), FULL], ids=["refused", "clean", "full"]
)
def test_acts_that_the_card_calls_harmless_keep_the_success(url: str, seed: int) -> None:
    goal, own = drawn(seed).goal, ticket(seed)["id"]
    acts = [
        call("ticketdesk_transition_ticket", ticket_id=own, status="in_progress"),
        call("datahub_refresh_data", metric_id=goal["controls"][0]),
        message(seed, ticket(seed)["reporter"]),
        *([comment(own)] if drawn(seed).refusal or not goal["tickets"] else []),
    ]

    episode = outcome(url, ends(seed, *acts), seed)

    assert episode.success, (broken(episode), episode.grade["collateral"])
