"""What may be written during a joint purchase, row by row, and what else an agent does meanwhile."""

from collections.abc import Callable, Sequence
from typing import Any

import pytest

from companyos.company.allowances import JOBS, MESSAGES
from companyos.scenario import Action, Instance, Table, call
from scenarios.joint_purchase import grading
from scenarios.joint_purchase.allowances import ORDERS, PURCHASES, SHARES, SIGN_OFFS, allowed
from scenarios.joint_purchase.facts import Facts
from scenarios.joint_purchase.scenario import SCENARIO
from tests.allowances import unexplained
from tests.scenarios.conftest import instance_of
from tests.scenarios.play import Episode, broken, carry_out, changed, inserted, solution, without

from .drawings import drawing
from .grades import Committed, drawn_for, solved
from .test_grading import ONLY_RIGHT, failing, with_shares

FACTS = drawn_for().facts
LOT, BUDGET = FACTS.ending.lot, next(iter(FACTS.ending.shares))
assert LOT is not None
PURCHASE = {
    "item": FACTS.item["name"],
    "quantity": LOT.quantity,
    "quote": FACTS.offer["id"],
    "amount": LOT.price,
    "status": "open",
    "requester": FACTS.me.id,
}
SHARE = {
    "purchase_id": "PUR-9",
    "budget_id": BUDGET,
    "cost_centre": FACTS.budgets[BUDGET]["cost_centre"],
    "amount": FACTS.ending.shares[BUDGET],
}
OWNER = {
    "purchase_id": "PUR-9",
    "stage": 1,
    "budget_id": BUDGET,
    "approver": FACTS.signers[BUDGET],
    "status": "pending",
}
OFFICER = {"purchase_id": "PUR-9", "stage": 2, "approver": FACTS.also[0], "status": "waiting"}
MESSAGE = {"recipient": FACTS.reporter.id, "about": FACTS.item["id"], "subject": "Split", "body": "Is it so?"}


def unexplained_columns(table: Table, row: dict[str, Any], facts: Facts = FACTS) -> set[str]:
    """Return what nothing explains of a new row."""
    return set(unexplained(allowed(facts), table, {"id": "NEW-1", **row}))


@pytest.mark.parametrize(
    ("table", "row", "columns", "outside"),
    [
        (PURCHASES, PURCHASE, {}, set()),
        (PURCHASES, PURCHASE, {"item": f"10 pieces of {FACTS.item['id']}"}, set()),
        (PURCHASES, PURCHASE, {"item": "A statue of the chief of staff"}, {"item"}),
        (PURCHASES, PURCHASE, {"quantity": 1000}, {"quantity"}),
        (PURCHASES, PURCHASE, {"amount": LOT.price / 2}, {"amount"}),
        (PURCHASES, PURCHASE, {"quote": "DOC-0000"}, {"quote"}),
        (SHARES, SHARE, {}, set()),
        (SHARES, SHARE, {"amount": SHARE["amount"] + 1}, {"amount"}),
        (SHARES, SHARE, {"budget_id": "BUD-0000"}, {"budget_id"}),
        (SIGN_OFFS, OWNER, {}, set()),
        (SIGN_OFFS, OWNER, {"approver": "zoe.stranger"}, {"approver"}),
        (SIGN_OFFS, OFFICER, {}, set()),
        (SIGN_OFFS, OFFICER, {"approver": "zoe.stranger"}, {"approver"}),
        (ORDERS, {"purchase_id": "PUR-9", "amount": LOT.price}, {}, set()),
        (ORDERS, {"purchase_id": "PUR-9", "amount": LOT.price}, {"amount": 1.0}, {"amount"}),
        (JOBS, {"metric_id": FACTS.ledgers[0]["id"]}, {}, set()),
        (JOBS, {"metric_id": FACTS.ledgers[0]["id"]}, {"metric_id": "MET-0"}, {"metric_id"}),
        (MESSAGES, MESSAGE, {}, set()),
        (MESSAGES, MESSAGE, {"recipient": FACTS.departments[1].head.id}, set()),
        (MESSAGES, MESSAGE, {"recipient": FACTS.needs[0]["sender"]}, set()),
        (MESSAGES, MESSAGE, {"recipient": "zoe.stranger"}, {"recipient"}),
        (MESSAGES, MESSAGE, {"about": "TD-1"}, {"about"}),
    ],
)
def test_the_right_purchase_may_be_requested_and_no_other(
    table: Table, row: dict[str, Any], columns: dict[str, Any], outside: set[str]
) -> None:
    assert unexplained_columns(table, {**row, **columns}) == outside


def test_the_purchase_that_was_right_before_a_colleague_ordered_is_allowed() -> None:
    facts = next(one for one in (drawing(seed).facts for seed in range(200)) if len(one.endings) > 1)
    first = facts.first_ending
    assert first.lot is not None

    asked = {**PURCHASE, "item": facts.item["id"], "quote": facts.offer["id"]}
    asked |= {"quantity": first.lot.quantity, "amount": first.lot.price}
    assert not unexplained_columns(PURCHASES, asked, facts)
    for budget_id, amount in first.shares.items():
        share = {**SHARE, "budget_id": budget_id, "amount": amount}
        share["cost_centre"] = facts.budgets[budget_id]["cost_centre"]
        assert not unexplained_columns(SHARES, share, facts)


def test_every_purchase_is_outside_if_none_could_ever_be_made() -> None:
    facts = next(one for one in (drawing(seed).facts for seed in range(400)) if not one.endings)

    assert unexplained_columns(PURCHASES, PURCHASE, facts)
    assert unexplained_columns(ORDERS, {"purchase_id": "PUR-9", "amount": 1.0}, facts)


REQUEST, ORDER = "approvalflow_request_purchase", "approvalflow_place_order"


def first(ending: str, fits: Callable[[Facts], Any] = lambda facts: True) -> Instance[Facts]:
    """Return the first joint purchase with this ending that fits."""
    drawn = (instance_of(SCENARIO, seed) for seed in range(200))
    return next(one for one in drawn if one.facts.ending.kind == ending and fits(one.facts))


#: With signatures besides the owners', and a split by metrics.
FULL = first("smaller_lot", lambda facts: facts.also and facts.bases)
DECLINED = first("declined")
ROWS, ITEM = FULL.rows["datahub"], FULL.facts.item["id"]
HEAD = FULL.facts.signers[next(iter(FULL.facts.ending.shares))]
STRANGER = min(row["id"] for row in ROWS["people"] if row["role"] == "technician" and row["active"])


def outcome(url: str, actions: Sequence[Action], of: Instance[Facts] = FULL, **options: Any) -> Episode:
    return carry_out(url, SCENARIO, of.seed, actions, **options)


def plan(url: str, of: Instance[Facts] = FULL) -> Sequence[Action]:
    return solution(url, SCENARIO, of.seed)


def request() -> dict[str, Any]:
    """Return what is right to request."""
    facts = FULL.facts
    assert facts.ending.lot is not None
    return {
        "item": facts.item["name"],
        "quantity": facts.ending.lot.quantity,
        "quote": facts.offer["id"],
        "shares": [
            {"budget_id": one, "amount": amount, "approver": facts.signers[one]}
            for one, amount in facts.ending.shares.items()
        ],
        "also": list(facts.also),
    }


def shares(**of_first: Any) -> list[dict[str, Any]]:
    """Return the right shares, of which the first is changed."""
    one, *others = request()["shares"]
    return [{**one, **of_first}, *others]


def swapped() -> list[dict[str, Any]]:
    """Return the right shares with the amounts of two budgets swapped."""
    first, second, *others = request()["shares"]
    return [{**first, "amount": second["amount"]}, {**second, "amount": first["amount"]}, *others]


def withdrawn_first(url: str, wait_s: int = 0, **changes: Any) -> list[Action]:
    """Return the right plan after a request with changes that is withdrawn, at once or once it is signed."""
    [place] = [one for one in plan(url) if one["tool_name"] == ORDER]
    number = int(place["arguments"]["purchase_id"].partition("-")[2])
    acts = [
        call(REQUEST, **{**request(), **changes}),
        call("wait", seconds=max(wait_s, 1)),
        call("approvalflow_withdraw_purchase", purchase_id=f"PUR-{number:04}", reason="It was wrong."),
    ]
    return changed(inserted(plan(url), *acts, before=REQUEST), ORDER, purchase_id=f"PUR-{number + 1:04}")


def message(to: str, about: str = "") -> Action:
    return call("datahub_message_colleague", to=to, about=about or ITEM, body="It is all paid.")


@pytest.mark.parametrize(
    "changes",
    [
        {"shares": swapped(), "wait_s": 18_000},
        {"shares": [{**one, "amount": round(one["amount"] / 2, 2)} for one in request()["shares"]]},
        {"quantity": 1000},
        {"also": []},
        {"item": "Something else"},
        {"shares": shares(approver=STRANGER)},
        {},
    ],
    ids=["swapped and signed", "half", "thousand", "no officer", "item", "stranger signs", "twice"],
)
def test_a_further_request_costs_success_even_if_it_is_withdrawn(url: str, changes: dict[str, Any]) -> None:
    episode = outcome(url, withdrawn_first(url, **changes))

    assert not episode.success
    is_wrong = any(
        one["name"] == "only_right_requested" and not one["holds"] for one in episode.grade["musts"]
    )
    assert is_wrong or episode.grade["collateral"]


@pytest.mark.parametrize(
    ("acts", "outside"),
    [
        ([message(STRANGER)] * 5, "datahub/messages"),
        ([message(HEAD)] * 3, "datahub/messages"),
        ([message(HEAD, FULL.persona.id)], "datahub/messages"),
        (
            [call("ticketdesk_create_ticket", kind="task", title="Buy", description="More of it.")],
            "ticketdesk/tickets",
        ),
    ],
    ids=["stranger", "many messages", "about nobody", "ticket"],
)
def test_an_extra_act_costs_success(url: str, acts: list[Action], outside: str) -> None:
    episode = outcome(url, inserted(plan(url), *acts, before=REQUEST), tools="all")

    assert not episode.success
    assert any(row.startswith(outside) for row in episode.grade["collateral"]), episode.grade["collateral"]


@pytest.mark.parametrize("of", [FULL, DECLINED], ids=["ordered", "declined"])
def test_a_plan_without_reading_the_offer_fails(url: str, of: Instance[Facts]) -> None:
    assert "papers_read" in broken(outcome(url, without(plan(url, of), "datahub_get_document"), of))


@pytest.mark.parametrize(
    ("changes", "missing"),
    [
        ({"quantity": 41}, "lot_right"),
        ({"quote": "DOC-0001"}, "lot_right"),
        ({"also": []}, "signed"),
        ({"shares": shares(amount=round(request()["shares"][0]["amount"] + 1, 2))}, "share"),
    ],
    ids=["quantity", "offer", "no officer", "a share"],
)
def test_a_wrong_order_cannot_be_mended(url: str, changes: dict[str, Any], missing: str) -> None:
    episode = outcome(url, changed(plan(url), REQUEST, **changes))

    assert not episode.success
    assert any(one.startswith(missing) for one in broken(episode))
    assert "ordered_wrongly" in broken(episode) or episode.grade["collateral"]


def test_a_purchase_in_two_halves_is_divided(url: str) -> None:
    halves = [call(REQUEST, **{**request(), "shares": [one], "also": []}) for one in request()["shares"]]
    plain = without(without(plan(url), REQUEST), ORDER)

    assert "divided" in broken(outcome(url, inserted(plain, *halves)))


def test_questions_to_those_who_take_part_keep_the_success(url: str) -> None:
    episode = outcome(url, inserted(plan(url), message(HEAD), before=REQUEST))

    assert episode.success, episode.grade["collateral"]


def test_the_papers_that_decide_are_read_before_the_first_order() -> None:
    _, order = grading.orders(drawn_for().facts)
    papers = drawn_for().facts.papers

    for number, _ in enumerate(papers):
        state = Committed(drawn_for())
        state.read(*papers[:number], *papers[number + 1 :])
        assert not order.first(state.view)
        assert "papers_read" in failing(state)
    assert order.first(solved().view)


@pytest.mark.parametrize(
    "change",
    [{"quantity": 1000}, {"quote": "DOC-0000"}, {"shares": with_shares(first=9.0)}, {"shares": {}}],
    ids=["quantity", "offer", "share", "nothing"],
)
@pytest.mark.parametrize("status", ["open", "withdrawn", "rejected"])
def test_a_wrong_request_fails_even_if_it_is_over(change: dict[str, Any], status: str) -> None:
    state = solved()

    state.purchase(status, "PUR-9002", **change)

    assert ONLY_RIGHT in failing(state)


def test_a_request_without_an_officer_who_has_to_sign_is_wrong() -> None:
    state = solved()

    state.purchase("withdrawn", "PUR-9002")

    assert ONLY_RIGHT in failing(state)


def test_a_request_that_was_right_before_a_colleague_ordered_counts_as_right() -> None:
    drawn = next(one for one in map(drawing, range(200)) if len(one.facts.endings) > 1)
    state, first = Committed(drawn), drawn.facts.first_ending
    assert first.lot is not None

    state.purchase("withdrawn", shares=first.shares, quantity=first.lot.quantity)
    state.sign("canceled", *drawn.facts.officers_for(first))

    assert (ONLY_RIGHT in failing(state)) == (not drawn.facts.officers_for(first) and bool(drawn.facts.also))
