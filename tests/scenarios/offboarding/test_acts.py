"""What else an agent does while it off-boards a colleague: it costs success, unless the card calls it harmless."""

from collections.abc import Sequence
from typing import Any

import pytest

from companyos.sdk.scenario import Action, Instance, call
from scenarios.offboarding.facts import HELD, IN_FORCE, LAPSED, Facts
from scenarios.offboarding.scenario import SCENARIO

from ..conftest import instance_of
from ..play import Episode, broken, carry_out, changed, inserted, next_id, solution, without


def first(cause: str, *, moves: bool | None = None) -> Instance[Facts]:
    """Return the first off-boarding of this cause."""
    drawn = (instance_of(SCENARIO, seed) for seed in range(200))
    return next(one for one in drawn if one.cause == cause and moves in (None, one.facts.moves))


LEAVES, MOVES, LEGAL_HOLD = first(IN_FORCE, moves=False), first(LAPSED, moves=True), first(HELD)
FACTS = LEAVES.facts
OWN, REPORTER = FACTS.ticket["id"], FACTS.ticket["reporter"]


def plan_of(url: str, of: Instance[Facts] = LEAVES) -> Sequence[Action]:
    return solution(url, SCENARIO, of.seed, tools="all")


def play(url: str, plan: Sequence[Action], of: Instance[Facts] = LEAVES) -> Episode:
    return carry_out(url, SCENARIO, of.seed, plan, tools="all")


def somebody() -> str:
    """Return an active person whom the task does not concern."""
    people = LEAVES.rows["datahub"]["people"]
    return min(str(row["id"]) for row in people if row["active"] and row["id"] not in str(FACTS))


def on(ticket_id: str, tool: str, **arguments: Any) -> Action:
    return call(f"ticketdesk_{tool}", ticket_id=ticket_id, **arguments)


def message(to: str, about: str) -> Action:
    return call("datahub_message_colleague", to=to, about=about, body="They were fired.")


def test_every_further_act_is_named_as_outside(url: str) -> None:
    stranger, (given, successor), thing = somebody(), min(FACTS.tickets.items()), min(FACTS.data)
    equipment = next_id(LEAVES, "ticketdesk", "tickets")
    theirs = next(
        row["id"] for row in LEAVES.rows["datahub"]["entitlements"] if row["person_id"] != FACTS.leaver
    )
    acts = {
        f"ticketdesk/tickets/{given} (assignee)": [
            on(given, "assign_ticket", assignee=stranger),
            on(given, "assign_ticket", assignee=successor),
        ],
        f"ticketdesk/tickets/{OWN} (title)": [on(OWN, "update_ticket", title="Nothing")],
        f"ticketdesk/tickets/{equipment} (assignee)": [on(equipment, "assign_ticket", assignee=stranger)],
        f"ticketdesk/comments/{given}-C1 (ticket_id)": [on(given, "add_comment", body="Yours now.")],
        f"datahub/entitlements/{theirs} (revoked_for)": [
            call("datahub_revoke_entitlement", entitlement_id=theirs, reason="-")
        ],
        f"datahub/ownerships/{thing} (owner)": [
            call("datahub_transfer_ownership", object_id=thing, to=stranger)
        ],
        f"datahub/people/{FACTS.closer} (delegate)": [
            call("datahub_set_delegate", person_id=FACTS.closer, delegate=FACTS.staff.manager.id)
        ],
        f"datahub/people/{FACTS.leaver} (delegate)": [],
        "datahub/messages": [message(stranger, OWN)],
        f"approvalflow/requests/{FACTS.request['id']} (evidence)": [
            call("approvalflow_add_evidence", request_id=FACTS.request["id"], kind="record", reference=thing)
        ],
    }

    # Only while the leaver has an account.
    early = call("datahub_set_delegate", person_id=FACTS.leaver, delegate=stranger)
    plan = inserted(plan_of(url), early, before="datahub_deactivate_person")

    episode = play(url, inserted(plan, *(act for some in acts.values() for act in some)))

    named = [row if "messages" not in row else "datahub/messages" for row in episode.grade["collateral"]]
    assert {*named} >= acts.keys()
    assert not episode.success


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("datahub_deactivate_person", {"mode": "purge"}),
        ("datahub_transfer_ownership", {"to": FACTS.staff.absent.id}),
        ("datahub_set_delegate", {"delegate": FACTS.staff.steward.id}),
        ("datahub_set_delegate", {"types": [row["id"] for row in LEAVES.rows["approvalflow"]["approval_types"]]}),
    ],
    ids=["purged", "data to another", "another delegate", "a delegate for everything"],
)  # fmt: skip
def test_the_same_calls_with_another_argument_cost_the_success(
    url: str, tool: str, arguments: dict[str, Any]
) -> None:
    assert not play(url, changed(plan_of(url), tool, **arguments)).success


def test_somebody_who_moves_keeps_their_account(url: str) -> None:
    suspend = call("datahub_deactivate_person", person_id=MOVES.facts.leaver, mode="suspend")

    assert broken(play(url, inserted(plan_of(url, MOVES), suspend), MOVES)) == {"account_open", "locked_out"}


def test_access_that_ends_first_loses_everything_else(url: str) -> None:
    access = [one for one in plan_of(url) if one["tool_name"] == "datahub_revoke_entitlement"]
    later = without(plan_of(url), "datahub_revoke_entitlement")

    episode = play(url, inserted(later, *access, before="ticketdesk_assign_ticket"))

    state = episode.state_of(LEAVES).view()
    locked = state.rows("datahub", "ownerships", owner=FACTS.leaver, locked=True)
    assert not episode.success
    assert {row["id"] for row in locked} & set(FACTS.data)


def test_access_that_ends_only_tomorrow_is_too_late(url: str) -> None:
    day = call("wait", seconds=86_400)

    episode = play(url, inserted(plan_of(url), day, before="datahub_revoke_entitlement"))

    assert broken(episode) == {"access_ended", "done_in_time", "settled_before_passing_on"}


def test_the_ticket_is_passed_on_only_after_it_was_read_whether_there_is_a_hold(url: str) -> None:
    early = on(OWN, "assign_ticket", assignee=FACTS.closer)

    episode = play(url, inserted(plan_of(url), early, before="datahub_refresh_data"))

    assert broken(episode) == {"holds_before_changes", "settled_before_passing_on"}


def test_a_word_to_whoever_gets_something_about_it_keeps_the_success(url: str) -> None:
    equipment = next_id(LEAVES, "ticketdesk", "tickets")
    gets = {**FACTS.tickets, **FACTS.data, FACTS.request["id"]: FACTS.decider, OWN: FACTS.closer}
    told = [message(person, object_id) for object_id, person in gets.items()]
    noted = on(equipment, "add_comment", body="There are two laptops.")

    episode = play(url, inserted(plan_of(url), *told, noted, message(REPORTER, equipment)))

    assert episode.success, episode.grade["collateral"]


@pytest.mark.parametrize("of", [LEAVES, MOVES, LEGAL_HOLD], ids=["leaves", "moves", "held"])
def test_acts_that_the_card_calls_harmless_keep_the_success(url: str, of: Instance[Facts]) -> None:
    own, plan = of.facts.ticket["id"], plan_of(url, of)
    begin = on(own, "transition_ticket", to="in_progress", reason="It is begun.")
    comment = on(own, "add_comment", body="It is looked into.")
    told = message(of.facts.ticket["reporter"], of.facts.employee["id"])

    episode = play(url, inserted([*plan[:1], begin, *plan[1:]], comment, told), of)

    assert episode.success, (broken(episode), episode.grade["collateral"])


def test_a_legal_hold_leaves_nothing_to_pass_on(url: str) -> None:
    facts = LEGAL_HOLD.facts
    pass_on = on(facts.ticket["id"], "assign_ticket", assignee=facts.closer)

    assert not play(url, inserted(plan_of(url, LEGAL_HOLD), pass_on), LEGAL_HOLD).success
