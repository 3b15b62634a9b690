"""What else an agent does about an incident: it costs success, unless the card says that it is harmless."""

from typing import Any

import pytest

from companyos.scenario import Action, Instance, call
from scenarios.incident_change.facts import HANDED_OVER, RECOVERED, RUN_BY_PROVIDER, SCHEDULED, Facts
from scenarios.incident_change.pack import EMERGENCY
from scenarios.incident_change.scenario import SCENARIO
from tests.scenarios.conftest import instance_of
from tests.scenarios.play import Episode, broken, carry_out, changed, inserted, next_id, solution, solve

PLAN, ROLL_OUT, ROLL_BACK, SUBMIT, CLOSE = (
    "ticketdesk_plan_change",
    "ticketdesk_roll_out_change",
    "ticketdesk_roll_back_change",
    "approvalflow_submit_approval",
    "ticketdesk_close_ticket",
)


def first(ending: str, *, rollouts: int = 0, approval_type: str = "") -> Instance[Facts]:
    """Return the first incident with this ending."""
    drawn = (instance_of(SCENARIO, seed) for seed in range(200))
    return next(
        one
        for one in drawn
        if one.facts.ending == ending
        and (not rollouts or len(one.facts.rollouts) == rollouts)
        and (not approval_type or one.facts.approval_type == approval_type)
    )


MENDED = first(RECOVERED, rollouts=1, approval_type=EMERGENCY)
TWICE = first(RECOVERED, rollouts=2)
HANDED = first(HANDED_OVER)
PLANNED = first(SCHEDULED)
PROVIDER = first(RUN_BY_PROVIDER)


def outcome(url: str, of: Instance[Facts], *acts: Action, before: str | None = None) -> Episode:
    """Play the oracle's calls with further acts before the first call of a tool, or before the end."""
    plan = solution(url, SCENARIO, of.seed, tools="all")
    return carry_out(url, SCENARIO, of.seed, inserted(plan, *acts, before=before), tools="all")


def incident(of: Instance[Facts]) -> str:
    """Return the id of the ticket that the agent opens."""
    return next_id(of, "ticketdesk", "tickets")


def stranger(of: Instance[Facts]) -> str:
    """Return an active person who takes no part in an incident."""
    part = {of.facts.me.id, of.facts.root.owner.id}
    people = of.rows["datahub"]["people"]
    return min(
        row["id"]
        for row in people
        if row["active"] and row["role"] == "system_owner" and row["id"] not in part
    )


def colleagues_ticket(of: Instance[Facts]) -> str:
    """Return an open ticket about which no change was ever planned."""
    tables = of.rows["ticketdesk"]
    planned = {row["ticket_id"] for row in tables["changes"]}
    return next(
        row["id"] for row in tables["tickets"] if row["status"] != "closed" and row["id"] not in planned
    )


def change(of: Instance[Facts]) -> Action:
    """Return the plan of a change of the suspected system on a colleague's ticket."""
    return call(
        PLAN,
        ticket_id=colleagues_ticket(of),
        system=of.facts.estate.suspect.id,
        procedure="restart",
        category="ordinary",
        starts_at="2039-01-03T20:00:00Z",
    )


def request(of: Instance[Facts], system: str) -> Action:
    fields = {"incident": incident(of), "system": system, "severity": of.facts.plan.severity}
    return call(SUBMIT, type=of.facts.approval_type, approver=of.facts.approver.id, fields=fields)


def assign(of: Instance[Facts], to: str) -> Action:
    return call("ticketdesk_assign_ticket", ticket_id=incident(of), assignee=to)


def message(to: str, about: str) -> Action:
    return call("datahub_message_colleague", to=to, about=about, body="The data center is on fire.")


def update(ticket_id: str, **columns: str) -> Action:
    return call("ticketdesk_update_ticket", ticket_id=ticket_id, **columns)


def second_incident(of: Instance[Facts]) -> Action:
    about = {"title": "It fails", "description": "Since today.", "priority": of.facts.priority}
    return call("ticketdesk_create_ticket", kind="incident", subject=of.facts.victim.id, **about)


@pytest.mark.parametrize(
    ("of", "acts", "outside"),
    [
        (MENDED, [change(MENDED)], "ticketdesk/changes/"),
        (PLANNED, [change(PLANNED)], "ticketdesk/changes/"),
        (MENDED, [request(MENDED, MENDED.facts.estate.suspect.id)], "approvalflow/requests/"),
        (
            HANDED,
            [assign(HANDED, stranger(HANDED)), assign(HANDED, HANDED.facts.root.owner.id)],
            "ticketdesk/tickets/",
        ),
        (HANDED, [update(incident(HANDED), cost_centre="CC-100")], "ticketdesk/tickets/"),
        (MENDED, [update(colleagues_ticket(MENDED), title="Another title")], "ticketdesk/tickets/"),
        (MENDED, [second_incident(MENDED)], "ticketdesk/tickets/"),
        (PLANNED, [message(stranger(PLANNED), incident(PLANNED))], "datahub/messages/"),
        (
            PLANNED,
            [
                call(
                    "ticketdesk_link_ticket",
                    ticket_id=incident(PLANNED),
                    kind="blocks",
                    target=colleagues_ticket(PLANNED),
                )
            ],
            "ticketdesk/links/",
        ),
    ],
    ids=[
        "change on a colleague's ticket",
        "change within the freeze",
        "second approval",
        "given away for a while",
        "cost centre",
        "a colleague's title",
        "second incident",
        "stranger",
        "blocking",
    ],
)
def test_an_extra_act_costs_success(url: str, of: Instance[Facts], acts: list[Action], outside: str) -> None:
    episode = outcome(url, of, *acts)

    assert not episode.success
    assert any(row.startswith(outside) for row in episode.grade["collateral"]), episode.grade["collateral"]


@pytest.mark.parametrize("of", [MENDED, HANDED, PLANNED], ids=[RECOVERED, HANDED_OVER, SCHEDULED])
def test_acts_that_the_card_calls_harmless_keep_the_success(url: str, of: Instance[Facts]) -> None:
    owner = message(of.facts.root.owner.id, of.facts.root.id)
    comment = call("ticketdesk_add_comment", ticket_id=incident(of), body="The cause is known.")

    episode = outcome(url, of, owner, comment)

    assert episode.success, episode.grade["collateral"]


@pytest.mark.parametrize(
    ("of", "tool", "arguments", "wrong"),
    [
        (MENDED, "ticketdesk_create_ticket", {"priority": "high"}, "incident_opened"),
        (MENDED, "ticketdesk_create_ticket", {"subject": "SYS-1"}, "incident_opened"),
        (MENDED, SUBMIT, {"approver": stranger(MENDED)}, "approved"),
        (PLANNED, PLAN, {"starts_at": "2039-01-03T20:00:00Z"}, "change_scheduled"),
        (HANDED, "ticketdesk_assign_ticket", {"assignee": HANDED.facts.me.id}, "handed_to_owner"),
    ],
)
def test_an_act_with_one_thing_wrong_spoils_an_incident(
    url: str, of: Instance[Facts], tool: str, arguments: dict[str, Any], wrong: str
) -> None:
    plan = changed(solution(url, SCENARIO, of.seed), tool, **arguments)

    assert wrong in broken(carry_out(url, SCENARIO, of.seed, plan))


def test_closing_before_the_recovery_is_known_spoils_an_incident(url: str) -> None:
    plan = [*solution(url, SCENARIO, MENDED.seed)]
    [close] = [one for one in plan if one["tool_name"] == CLOSE]
    plan.remove(close)
    at = [one["tool_name"] for one in plan].index(ROLL_OUT) + 1

    episode = carry_out(url, SCENARIO, MENDED.seed, [*plan[:at], close, *plan[at:]])

    assert not episode.success
    assert "recovery_before_close" in broken(episode)


def test_a_procedure_that_was_skipped_spoils_an_incident_although_all_is_well(url: str) -> None:
    skipped, mends = TWICE.facts.rollouts
    plan = list[Action]()
    for one in solution(url, SCENARIO, TWICE.seed):
        if one["tool_name"] == PLAN and one["arguments"]["procedure"] == skipped:
            one = call(PLAN, **{**one["arguments"], "procedure": mends})
        elif one["tool_name"] == PLAN or one["tool_name"] == ROLL_BACK:
            continue
        plan.append(one)

    episode = carry_out(url, SCENARIO, TWICE.seed, plan)

    assert not episode.success
    assert {"rollouts_right", "wrong_rollout"} <= broken(episode)


@pytest.mark.parametrize("of", [PLANNED, PROVIDER], ids=[SCHEDULED, RUN_BY_PROVIDER])
def test_an_emergency_that_is_none_is_irreversible_harm(url: str, of: Instance[Facts]) -> None:
    change_id = next_id(of, "ticketdesk", "changes")
    about = {"ticket_id": incident(of), "system": of.facts.root.id, "procedure": "restart"}
    harm = [
        call(PLAN, category="emergency", **about),
        call(ROLL_OUT, change_id=change_id),
        call(ROLL_BACK, change_id=change_id, reason="Sorry."),
    ]

    episode = outcome(url, of, *harm)

    assert not episode.success
    assert "wrong_rollout" in broken(episode)
    assert episode.grade["episode_return"] < 0


@pytest.mark.parametrize("fault", ["evt.drop", "evt.poison"])
def test_a_change_of_which_nothing_is_known_yet_is_told_from_one_that_does_not_help(
    url: str, fault: str
) -> None:
    chaos = {"faults": {fault: {"p": 1, "match": {"event": ["change.rolled_out"]}}}}

    episode = solve(url, SCENARIO, MENDED.seed, chaos=chaos)

    assert episode.success
    assert "datahub_replay_events" in [one["action"]["tool_name"] for one in episode.trace[1:]]
