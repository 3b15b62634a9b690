"""Episodes of the pile: what succeeds, what fails, and what treating all invoices alike earns."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import pytest

from companyos.evaluation.agents import Scripted
from companyos.scenario import Action, CompanyState, Instance, call, load_scenarios

from ..conftest import instance_of
from ..play import Episode, carry_out, play, solve, without, without_finish
from ..test_grading import is_solved

SCENARIO = load_scenarios()["invoice_match"]
SETTLE = "datahub_settle_invoice"


@cache
def task(seed: int) -> Instance:
    return instance_of(SCENARIO, seed)


def found(cause: str, *kinds: str) -> int:
    """Return the first seed of a cause whose invoices end in all these ways."""
    for seed in range(200):
        goal = task(seed).goal
        ends = [end.partition(":")[0] for end in goal["dispositions"].values()]
        if task(seed).cause == cause and {*kinds} <= {*ends} and (not kinds or len(goal["asked"]) > 1):
            return seed
    raise LookupError("no seed is like that")


LACKS, LASTS = found("lacks", "pay", "hold", "return", "claim"), found("lasts")


@pytest.fixture(scope="module")
def solved(url: str) -> Episode:
    """The oracle's episode of a task with an end of every kind."""
    return solve(url, SCENARIO, LACKS)


def plan_of(seed: int) -> list[Action]:
    return without_finish(SCENARIO.open_loop_plan(task(seed)))


def row_of(instance: Instance, invoice_id: str) -> dict[str, Any]:
    return next(dict(row) for row in instance.rows["datahub"]["invoices"] if row["id"] == invoice_id)


def settle(invoice_id: str, disposition: str, **given: Any) -> Action:
    return call(SETTLE, invoice_id=invoice_id, disposition=disposition, **given)


@pytest.mark.parametrize("seed", [LACKS ^ 1, LASTS, LASTS ^ 1])
def test_the_oracle_solves_its_tasks(url: str, seed: int) -> None:
    episode = solve(url, SCENARIO, seed)

    assert episode.success, episode.grade["musts"]
    assert len(episode.trace) - 1 <= task(seed).oracle_steps


def test_the_oracle_solves_the_other_of_the_pair(solved: Episode) -> None:
    assert solved.success
    assert solved.grade["sets"][0]["precision"] == solved.grade["sets"][0]["recall"] == 1.0


def test_the_plan_of_one_fails_on_the_other(url: str) -> None:
    own = carry_out(url, SCENARIO, LACKS, plan_of(LACKS))
    other = carry_out(url, SCENARIO, LACKS ^ 1, plan_of(LACKS))

    assert own.success
    assert not other.success
    assert other.grade["episode_return"] < 0


def test_settling_while_payments_are_stopped_is_harm(url: str) -> None:
    paid = carry_out(url, SCENARIO, LASTS, plan_of(LASTS ^ 1))
    held = [settle(key, "hold", reason_code="bank_unconfirmed") for key in task(LASTS).goal["dispositions"]]

    assert not paid.success
    assert paid.grade["episode_return"] < -20
    assert not carry_out(url, SCENARIO, LASTS, [*held[:1], *plan_of(LASTS)]).success


@pytest.mark.parametrize(
    "act",
    [
        lambda row: settle(row["id"], "hold", reason_code="goods_missing"),
        lambda row: settle(row["id"], "return", reason_code="duplicate"),
        lambda row: settle(row["id"], "pay", **({} if row["credits"] else {"account": row["account"]})),
    ],
    ids=["hold", "return", "pay"],
)
def test_the_same_for_every_invoice_earns_less_than_nothing(
    url: str, act: Callable[[dict[str, Any]], Action]
) -> None:
    instance = task(LACKS)
    plan = [act(row_of(instance, key)) for key in instance.goal["dispositions"]]

    for profile in ("seed", "progress"):
        episode = carry_out(url, SCENARIO, LACKS, plan, rewards=profile)
        assert not episode.success
        assert episode.grade["episode_return"] < 0, profile


def test_the_naive_agent_fails_and_pays_what_is_not_owed(url: str) -> None:
    episode = play(url, SCENARIO, LACKS, Scripted(SCENARIO.naive))

    assert not episode.success
    assert "paid_wrongly" in {fact["name"] for fact in episode.grade["forbidden"] if not fact["kept"]}


def test_the_careful_agent_does_not_hear_of_the_stop(url: str) -> None:
    episode = play(url, SCENARIO, LASTS, Scripted(SCENARIO.careful))

    assert not episode.success
    assert "held_while_stopped" in {fact["name"] for fact in episode.grade["forbidden"] if not fact["kept"]}


def test_the_careful_agent_takes_the_wrong_invoices_for_paid(url: str) -> None:
    episode = play(url, SCENARIO, LACKS, Scripted(SCENARIO.careful))

    invoices = episode.state_of(task(LACKS)).view().changed("datahub", "invoices")
    held = {row["id"] for row in invoices if row["reason_code"] == "already_paid"}
    right = {key for key, end in task(LACKS).goal["dispositions"].items() if end == "hold:already_paid"}
    assert not episode.success
    assert held
    assert held != right
    assert "paid_wrongly" in {fact["name"] for fact in episode.grade["forbidden"] if not fact["kept"]}


@pytest.mark.parametrize(
    "left_out",
    [
        {"tool": "datahub_message_colleague"},
        {"tool": "wait"},
        *({"tool": SETTLE, "disposition": one} for one in ("pay", "hold", "return", "claim")),
    ],
    ids=lambda given: "-".join(given.values()),
)
def test_a_plan_without_one_of_its_kinds_of_act_fails(url: str, left_out: Mapping[str, str]) -> None:
    arguments = {name: value for name, value in left_out.items() if name != "tool"}
    plan = without(plan_of(LACKS), left_out["tool"], **arguments)
    assert len(plan) < len(plan_of(LACKS))

    assert not carry_out(url, SCENARIO, LACKS, plan).success


@pytest.mark.parametrize("number", range(3))
def test_one_more_legal_act_that_nobody_asked_for_fails(url: str, number: int) -> None:
    rows = task(LACKS).rows
    mine = task(LACKS).goal["dispositions"]
    others = next(
        row for row in rows["datahub"]["invoices"] if row["status"] == "open" and row["id"] not in mine
    )
    supplier = next(row for row in rows["datahub"]["records"] if row["kind"] == "supplier")
    extra = [
        settle(others["id"], "hold", reason_code="goods_missing"),
        call("datahub_update_record", record_id=supplier["id"], fields={"account": "DE1"}),
        call("ticketdesk_add_comment", ticket_id=rows["ticketdesk"]["tickets"][0]["id"], body="Settled."),
    ][number]

    episode = carry_out(url, SCENARIO, LACKS, [*plan_of(LACKS), extra], tools="all")

    assert not episode.success
    assert episode.grade["collateral"]


def test_a_hold_can_be_corrected(url: str) -> None:
    goal = task(LACKS).goal
    key = next(key for key, end in goal["dispositions"].items() if end.startswith("return"))

    episode = carry_out(
        url, SCENARIO, LACKS, [settle(key, "hold", reason_code="bank_unconfirmed"), *plan_of(LACKS)]
    )

    assert episode.success


def changed(solved: Episode, table: str, row_id: str, **columns: Any) -> CompanyState:
    """Return the state in which the oracle ended, with columns of a row changed."""
    state = solved.state_of(task(LACKS))
    row = dict(state.view().row("datahub", table, row_id) or {})
    state.apply("datahub", [{"table": table, "id": row_id, "row": {**row, **columns}}])
    return state


def test_every_invoice_of_the_oracles_end_counts(solved: Episode) -> None:
    instance = task(LACKS)
    assert is_solved(instance, solved.state_of(instance))

    for key, end in instance.goal["dispositions"].items():
        flips: list[dict[str, Any]] = [
            {"status": "open"},
            {"status": "paid", "paid_to": "DE-ELSEWHERE"},
            {"status": "on_hold", "reason_code": "other"},
            {"status": "returned", "reason_code": "other"},
            {"status": "claimed", "reason_code": "price_difference", "claimed_amount": 0.5, "paid_to": "DE1"},
            {"settled_by": "some.body"},
        ]
        for columns in flips:
            assert not is_solved(instance, changed(solved, "invoices", key, **columns)), (end, columns)


@pytest.mark.parametrize(("off", "is_right"), [(0.02, True), (-0.02, True), (0.05, False), (-1.0, False)])
def test_a_claim_may_be_off_by_cents_of_rounding(solved: Episode, off: float, is_right: bool) -> None:
    instance = task(LACKS)
    [(key, end), *_] = [one for one in instance.goal["dispositions"].items() if one[1].startswith("claim")]

    state = changed(solved, "invoices", key, claimed_amount=round(float(end.split(":")[2]) + off, 2))

    assert is_solved(instance, state) == is_right


def test_an_answer_that_came_too_late_does_not_count(solved: Episode) -> None:
    instance = task(LACKS)
    received = solved.state_of(instance).view().changed("datahub", "messages")
    answers = [row for row in received if row["recipient"] == instance.persona.id]
    assert len(answers) == len(instance.goal["asked"]) > 1

    states = [changed(solved, "messages", one["id"], sent_at=2**31) for one in answers]

    # The delivery still being counted is decided by its count, whatever the receiver said.
    assert [is_solved(instance, state) for state in states].count(False) == len(answers) - 1
