"""What else an agent does while it closes a quarter: it costs success, unless the card says that it is harmless."""

import pytest

from companyos.scenario import Action, call
from tests.scenarios.play import changed

from .test_played import FULL, SUBMIT, before, drawn, outcome, plan

GOAL, ROWS = drawn(FULL).goal, drawn(FULL).rows
TICKET = GOAL["ticket_id"]
CLOSE = next(row for row in ROWS["ticketdesk"]["tickets"] if row["id"] == TICKET)
TAKING_PART = {GOAL["persona"], CLOSE["reporter"], GOAL["request"]["approver"], *GOAL["asked"].values()}
LINES = {row["metric_id"]: row["owner"] for row in ROWS["datahub"]["period_lines"]}
STRANGER = min(
    row["id"]
    for row in ROWS["datahub"]["people"]
    if row["active"] and row["id"] not in {*TAKING_PART, *LINES.values()}
)


def then_finish(*acts: Action) -> list[Action]:
    return [*plan()[:-1], *acts, call("finish")]


def asked_first_of(stranger: str) -> list[Action]:
    """Return the right plan with a request to somebody else that is withdrawn."""
    submit = next(one for one in plan() if one["tool_name"] == SUBMIT)
    first = drawn(FULL).goal["first_request"]
    wrong = changed([submit], SUBMIT, approver=stranger)
    return before(
        SUBMIT, *wrong, call("approvalflow_withdraw_request", request_id=first, reason="Wrong one.")
    )


def message(to: str, about: str) -> Action:
    return call("datahub_message_colleague", to=to, about=about, body="The figures are all made up.")


def assign(to: str) -> Action:
    return call("ticketdesk_assign_ticket", ticket_id=TICKET, assignee=to)


@pytest.mark.parametrize(
    ("actions", "outside"),
    [
        (asked_first_of(STRANGER), "approvalflow/requests"),
        (
            then_finish(call("ticketdesk_link_ticket", ticket_id=TICKET, kind="blocks", target="variance")),
            "ticketdesk/links",
        ),
        (before(SUBMIT, message(STRANGER, TICKET)), "datahub/messages"),
        (before(SUBMIT, *[message(CLOSE["reporter"], TICKET)] * 4), "datahub/messages"),
        (then_finish(assign(STRANGER), assign(GOAL["persona"])), f"ticketdesk/tickets/{TICKET} (assignee)"),
        (
            then_finish(call("ticketdesk_update_ticket", ticket_id=TICKET, title="Nothing to do")),
            f"ticketdesk/tickets/{TICKET} (title)",
        ),
    ],
    ids=["stranger asked", "blocking", "message", "many messages", "given away for a while", "retitled"],
)
def test_an_extra_act_costs_success(url: str, actions: list[Action], outside: str) -> None:
    tickets = ROWS["ticketdesk"]["tickets"]
    other = next(row["id"] for row in tickets if row["status"] == "new" and row["id"] != TICKET)
    actions = changed(actions, "ticketdesk_link_ticket", target=other)

    episode = outcome(url, actions)

    assert not episode.success
    assert any(row.startswith(outside) for row in episode.grade["collateral"]), episode.grade["collateral"]


def test_acts_that_the_card_calls_harmless_keep_the_success(url: str) -> None:
    comment = call("ticketdesk_add_comment", ticket_id=TICKET, body="The figures are current.")

    episode = outcome(
        url, [assign(GOAL["persona"]), *then_finish(comment, message(CLOSE["reporter"], TICKET))]
    )

    assert episode.success, episode.grade["collateral"]
