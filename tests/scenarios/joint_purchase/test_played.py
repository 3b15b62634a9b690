"""Episodes of joint purchases: each ending, what spoils them, and agents that do not check."""

from functools import cache
from typing import Any

import pytest

from companyos.chaos import parse_chaos
from companyos.evaluation.agents import Careful, Naive
from companyos.scenario import Action, Instance, call, find
from tests.scenarios.conftest import SALT
from tests.scenarios.play import Episode, carry_out, changed, play, solve

from .drawings import drawing

SCENARIO = find("joint_purchase")
REQUEST, ORDER = "approvalflow_request_purchase", "approvalflow_place_order"


@cache
def drawn(seed: int) -> Instance:
    return SCENARIO.generate(seed, parse_chaos(0), SALT)


def first(ending: str, *, also: bool = False, metrics: bool = False) -> int:
    """Return the first seed that ends this way, with signatures besides the owners' and metrics where wanted."""
    return next(
        seed
        for seed in range(200)
        if drawn(seed).goal["ending"] == ending
        and (not also or drawn(seed).goal["purchase"]["also"])
        and (not metrics or len(drawn(seed).goal["metrics"]) == 4)
    )


FULL = first("smaller_lot", also=True, metrics=True)
DECLINED = first("declined")


def plan(seed: int = FULL) -> list[Action]:
    return SCENARIO.open_loop_plan(drawn(seed))


def outcome(url: str, actions: list[Action], seed: int = FULL, **options: Any) -> Episode:
    return carry_out(url, SCENARIO, seed, actions, **options)


def broken(episode: Episode) -> set[str]:
    """Return what the grade card says is missing or forbidden."""
    missing = {one["name"] for one in episode.grade["musts"] if not one["holds"]}
    return missing | {one["name"] for one in episode.grade["forbidden"] if not one["kept"]}


def request() -> dict[str, Any]:
    """Return what is right to request."""
    return {**drawn(FULL).goal["purchase"]}


def shares(**of_first: Any) -> list[dict[str, Any]]:
    """Return the right shares, of which the first is changed."""
    one, *others = request()["shares"]
    return [{**one, **of_first}, *others]


def before(tool: str, *actions: Action) -> list[Action]:
    """Return the right plan with other actions before the first call of a tool."""
    right = plan()
    at = next(number for number, one in enumerate(right) if one["tool_name"] == tool)
    return [*right[:at], *actions, *right[at:]]


def earned(episode: Episode) -> float:
    return sum(float(record["reward"]) for record in episode.trace[1:] if record.get("reward") is not None)


@pytest.mark.parametrize("ending", ["reserve", "next_quarter", "declined"])
def test_the_oracle_comes_to_every_ending(url: str, ending: str) -> None:
    seed = first(ending)
    episode = solve(url, SCENARIO, seed)

    assert episode.success, (broken(episode), episode.grade["collateral"])
    assert episode.grade["step_count"] <= drawn(seed).oracle_steps


def test_what_is_ordered_is_committed_to_the_budgets(url: str) -> None:
    episode = outcome(url, plan())

    state = episode.state_of(drawn(FULL)).view()
    made = {row["budget_id"]: row["amount"] for row in state.changed("datahub", "commitments")}
    assert episode.success
    assert all(made[one["budget_id"]] == one["amount"] for one in request()["shares"][1:])


@pytest.mark.parametrize("number", [1, 2])
def test_what_was_not_taken_anew_is_missing(url: str, number: int) -> None:
    right = plan()

    episode = outcome(url, right[:number] + right[number + 1 :])

    assert not episode.success
    assert broken(episode) == {"ledgers_fresh" if number < 2 else "basis_fresh"}


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"quantity": 41}, "lot_right"),
        ({"quote": "DOC-0001"}, "lot_right"),
        ({"also": []}, "signed"),
        ({"shares": shares(amount=round(request()["shares"][0]["amount"] + 1, 2))}, "share"),
    ],
    ids=["quantity", "offer", "nobody besides", "a share"],
)
def test_a_wrong_order_cannot_be_mended(url: str, changes: dict[str, Any], missing: str) -> None:
    episode = outcome(url, changed(plan(), REQUEST, **changes))

    assert not episode.success
    assert "ordered_wrongly" in broken(episode)
    assert any(one.startswith(missing) for one in broken(episode))
    assert earned(episode) < 0


def test_two_requests_at_once_divide_the_purchase(url: str) -> None:
    halves = [call(REQUEST, **{**request(), "shares": [one], "also": []}) for one in request()["shares"]]

    episode = outcome(url, [*plan()[:-4], *halves, call("finish")])

    assert not episode.success
    assert "divided" in broken(episode)


def test_a_second_order_is_one_too_many(url: str) -> None:
    number = int(drawn(FULL).goal["purchase_id"].partition("-")[2])
    again = [call(REQUEST, **request()), call("wait", seconds=18_000)]
    again.append(call(ORDER, purchase_id=f"PUR-{number + 1:04}"))

    episode = outcome(url, [*plan()[:-1], *again, call("finish")])

    assert not episode.success
    assert "ordered_twice" in broken(episode)


def test_a_note_to_a_colleague_does_no_harm_and_an_order_of_another_item_does(url: str) -> None:
    reader = drawn(FULL).goal["purchase"]["shares"][0]["approver"]
    note = call("datahub_message_colleague", to=reader, about=drawn(FULL).goal["item_id"], body="On its way.")
    other = next(row["id"] for row in drawn(FULL).rows["datahub"]["metrics"] if row["name"] == "head_count")

    assert outcome(url, before(REQUEST, note)).success
    assert not outcome(url, before(REQUEST, _refresh_elsewhere(other))).success


def _refresh_elsewhere(known: str) -> Action:
    """Return the refresh of a metric of another department."""
    rows = drawn(FULL).rows["datahub"]
    own = {*drawn(FULL).goal["metrics"], known}
    subjects = {row["subject"] for row in rows["metrics"] if row["id"] in own}
    other = next(
        row["id"] for row in rows["metrics"] if row["name"] == "head_count" and row["subject"] not in subjects
    )
    return call("datahub_refresh_data", metric_id=other)


@pytest.mark.parametrize(
    "last", [call("finish"), call("refuse", reason_code="no_budget", evidence=["BUD-1"])]
)
def test_giving_up_at_once_solves_nothing(url: str, last: Action) -> None:
    episode = outcome(url, [last], DECLINED)

    assert not episode.success
    assert earned(episode) < 0


def test_the_plan_of_the_other_of_the_pair_fails(url: str) -> None:
    assert not outcome(url, plan(FULL ^ 1), FULL).success


def test_what_is_right_in_the_other_of_the_pair_overspends_a_budget_where_nothing_can_be_bought(
    url: str,
) -> None:
    episode = outcome(url, plan(DECLINED ^ 1), DECLINED)

    assert not episode.success
    assert {"overspent", "ordered_wrongly", "nothing_requested"} <= broken(episode)


def test_an_agent_that_believes_what_it_is_shown_fails(url: str) -> None:
    assert not play(url, SCENARIO, FULL, Naive(SCENARIO)).success


def test_an_agent_that_does_not_look_again_overspends_a_budget(url: str) -> None:
    seed = next(
        seed
        for seed in range(40)
        if drawing(seed).facts.first_ending.short != drawing(seed).facts.ending.short
    )

    episode = play(url, SCENARIO, seed, Careful(SCENARIO))

    assert not episode.success
    assert "overspent" in broken(episode)
