"""What the oracle decides about requests written by hand: quotes, split purchases and budgets."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY, HOUR, to_iso
from scenarios.approver_desk import agents

from ..paper import Shown
from .waiting import (
    BEFORE_FROM,
    IN_FORCE_S,
    INVOICE,
    NOW,
    QUOTES_FROM,
    SETUP_HOURS,
    TRAINING,
    WINDOW_DAYS,
    Inbox,
    Ledger,
    Reply,
    dossier,
    quote,
)

QUOTES = [quote("Q-1", "Linden Works"), quote("Q-2", "Linden Works"), quote("Q-3", "Harbor Tools")]
APPROVED, SPLIT = "approved", "rejected:split_purchase"
MISSING, OVER = "rejected:evidence_missing", "rejected:over_budget"


def worked(*dossiers: Shown, **replies: Reply) -> Inbox:
    """Return the inbox as the oracle leaves it; `replies` by request, written `APR_1`."""
    inbox = Inbox(*dossiers)
    inbox.documents += QUOTES
    inbox.replies = {name.replace("_", "-"): reply for name, reply in replies.items()}
    inbox.worked_by(agents.oracle)
    return inbox


def part(request_id: str, amount: float = 1600.0, **columns: Any) -> Shown:
    """Return one of several purchases of one requester from one supplier."""
    columns.setdefault("requester", "rita.roe")
    return dossier(request_id, amount, **columns)


def asked(inbox: Inbox) -> list[str]:
    return [given["request_id"] for given in inbox.called("approvalflow_ask_requester")]


@pytest.mark.parametrize(
    ("amount", "needs"), [(QUOTES_FROM - 0.01, False), (QUOTES_FROM, True), (QUOTES_FROM + 0.01, True)]
)
def test_a_purchase_needs_quotes_from_the_amount_of_its_version_on(amount: float, *, needs: bool) -> None:
    inbox = worked(dossier("APR-1", amount), APR_1=Reply())

    assert asked(inbox) == (["APR-1"] if needs else [])
    assert inbox.settled["APR-1"] == (MISSING if needs else APPROVED)


@pytest.mark.parametrize(
    ("amount", "needs"), [(BEFORE_FROM - 0.01, False), (BEFORE_FROM, True)], ids=["below", "at"]
)
def test_an_older_purchase_needs_quotes_from_the_amount_of_the_version_before(
    amount: float, *, needs: bool
) -> None:
    inbox = worked(dossier("APR-1", amount, age_s=IN_FORCE_S + 1), APR_1=Reply())

    assert asked(inbox) == (["APR-1"] if needs else [])


@pytest.mark.parametrize(("type_id", "amount"), [(INVOICE, 4000.0), (TRAINING, 2000.0)])
def test_nothing_but_a_purchase_needs_quotes(type_id: str, amount: float) -> None:
    inbox = worked(dossier("APR-1", amount, type=type_id))

    assert asked(inbox) == []
    assert inbox.settled == {"APR-1": APPROVED}


@pytest.mark.parametrize(
    ("attached", "is_enough"),
    [([], False), (["Q-1"], False), (["Q-1", "Q-2"], False), (["Q-1", "Q-3"], True)],
    ids=["none", "one", "two-of-one-supplier", "two-of-two-suppliers"],
)
def test_quotes_count_by_their_suppliers(attached: list[str], *, is_enough: bool) -> None:
    inbox = worked(dossier("APR-1", 3000.0, quotes=attached), APR_1=Reply())

    assert asked(inbox) == ([] if is_enough else ["APR-1"])
    assert inbox.settled["APR-1"] == (APPROVED if is_enough else MISSING)


@pytest.mark.parametrize(
    ("attaches", "end"),
    [("Q-3", APPROVED), ("Q-2", MISSING), (None, MISSING)],
    ids=["of-another-supplier", "of-the-same-supplier", "nothing"],
)
def test_a_request_is_decided_by_what_its_requester_attaches(attaches: str | None, end: str) -> None:
    inbox = worked(dossier("APR-1", 3000.0, quotes=["Q-1"]), APR_1=Reply(attaches=attaches))

    assert inbox.settled["APR-1"] == end


def test_the_question_is_about_a_quote_and_nothing_is_decided_before_its_answer() -> None:
    inbox = worked(dossier("APR-1"), dossier("APR-2", 3000.0), APR_2=Reply(delay_s=5 * HOUR))

    [question] = inbox.called("approvalflow_ask_requester")
    names = [name for name, _ in inbox.calls]
    assert question["about"] == "quote"
    assert inbox.called("wait") == [{"until": to_iso(NOW + 5 * HOUR)}]
    assert names.index("wait") < names.index("approvalflow_decide_request")


def test_all_are_asked_before_any_is_waited_for_and_waited_for_as_they_are_due() -> None:
    inbox = worked(
        dossier("APR-1", 3000.0, age_s=3 * HOUR),
        dossier("APR-2", 3000.0, age_s=2 * HOUR),
        APR_1=Reply(delay_s=4 * HOUR),
        APR_2=Reply(delay_s=HOUR),
    )

    names = [name for name, _ in inbox.calls if name in ("wait", "approvalflow_ask_requester")]
    assert names == [*["approvalflow_ask_requester"] * 2, *["wait"] * 2]
    assert [given["until"] for given in inbox.called("wait")] == [to_iso(NOW + HOUR), to_iso(NOW + 4 * HOUR)]


def test_a_dossier_that_does_not_show_the_answer_yet_is_read_again() -> None:
    late = Reply(attaches="Q-3", stale_reads=2)

    inbox = worked(dossier("APR-1", 3000.0, quotes=["Q-1"]), APR_1=late)

    assert inbox.settled["APR-1"] == APPROVED


@pytest.mark.parametrize(
    ("second", "end"),
    [(1399.99, APPROVED), (1400.0, SPLIT), (1400.01, SPLIT)],
    ids=["below", "at", "above"],
)
def test_purchases_that_reach_the_amount_of_quotes_together_are_split(second: float, end: str) -> None:
    inbox = worked(part("APR-1"), part("APR-2", second))

    assert inbox.settled == {"APR-1": end, "APR-2": end}


@pytest.mark.parametrize(
    ("apart_s", "end"),
    [(0, SPLIT), (WINDOW_DAYS * DAY, SPLIT), (WINDOW_DAYS * DAY + 1, APPROVED)],
    ids=["at-once", "at-the-edge", "a-second-beyond"],
)
def test_purchases_within_the_window_are_one(apart_s: int, end: str) -> None:
    # Together they reach the amount of either version.
    parts = [part("APR-1", 2900.0), part("APR-2", 2900.0, age_s=HOUR + apart_s)]

    inbox = worked(*parts)

    assert inbox.settled == {"APR-1": end, "APR-2": end}


@pytest.mark.parametrize(
    "columns",
    [{"requester": "sam.sole"}, {"supplier": "Harbor Tools"}, {"type": TRAINING}, {"type": INVOICE}],
    ids=["another-requester", "another-supplier", "a-course", "an-invoice"],
)
def test_purchases_that_differ_in_kind_are_separate(columns: dict[str, Any]) -> None:
    inbox = worked(part("APR-1"), part("APR-2", **columns))

    assert inbox.settled == {"APR-1": APPROVED, "APR-2": APPROVED}


def test_all_parts_of_a_split_are_rejected_however_many() -> None:
    inbox = worked(*(part(f"APR-{number}", 1000.0) for number in (1, 2, 3)))

    assert set(inbox.settled.values()) == {SPLIT}


def test_a_purchase_with_quotes_of_its_own_is_not_part_of_a_split() -> None:
    inbox = worked(part("APR-1", 3000.0, quotes=["Q-1", "Q-3"]), part("APR-2"))

    assert inbox.settled == {"APR-1": APPROVED, "APR-2": APPROVED}


def test_a_part_that_is_rejected_for_itself_does_not_make_a_split() -> None:
    inbox = worked(part("APR-1"), part("APR-2", things={"Gift card": 1600.0}))

    assert inbox.settled == {"APR-1": APPROVED, "APR-2": "rejected:not_eligible"}


def budgeted(remaining: float, *dossiers: Shown, after: tuple[float, ...] = ()) -> Inbox:
    """Return the inbox as the oracle leaves it when little remains of a budget."""
    inbox = Inbox(*dossiers)
    inbox.ledgers["CC-310"] = Ledger(remaining, list(after))
    inbox.worked_by(agents.oracle)
    return inbox


@pytest.mark.parametrize(
    ("remaining", "end"), [(399.99, OVER), (400.0, APPROVED), (400.01, APPROVED)], ids=["less", "all", "more"]
)
def test_a_request_fits_a_budget_down_to_the_last_cent(remaining: float, end: str) -> None:
    assert budgeted(remaining, dossier("APR-1", 400.0)).settled == {"APR-1": end}


def approved_of(inbox: Inbox) -> list[str]:
    return sorted(key for key, end in inbox.settled.items() if end == APPROVED)


def test_the_set_with_the_most_points_is_approved_whatever_priorities_and_dates_say() -> None:
    inbox = budgeted(
        800.0,
        dossier("APR-1", 500.0, benefit_points=30, priority=1, age_s=3 * DAY),
        dossier("APR-2", 400.0, benefit_points=20, priority=3),
        dossier("APR-3", 400.0, benefit_points=19, priority=3),
    )

    assert inbox.settled == {"APR-1": OVER, "APR-2": APPROVED, "APR-3": APPROVED}


@pytest.mark.parametrize(
    ("hours", "approved"),
    [(SETUP_HOURS - 4, ["APR-1", "APR-2"]), (SETUP_HOURS - 3, ["APR-1", "APR-3"])],
    ids=["as-many-as-there-are", "one-too-many"],
)
def test_a_set_needs_no_more_setup_hours_than_the_rules_allow(hours: int, approved: list[str]) -> None:
    inbox = budgeted(
        800.0,
        dossier("APR-1", benefit_points=30, setup_hours=4),
        dossier("APR-2", benefit_points=25, setup_hours=hours),
        dossier("APR-3", benefit_points=20),
    )

    assert approved_of(inbox) == approved


def test_setup_hours_do_not_matter_if_the_budget_pays_for_all() -> None:
    inbox = budgeted(800.0, dossier("APR-1", setup_hours=9), dossier("APR-2", setup_hours=9))

    assert approved_of(inbox) == ["APR-1", "APR-2"]


def test_of_two_sets_with_equal_points_the_one_that_costs_less_is_approved() -> None:
    inbox = budgeted(500.0, dossier("APR-1", 400.0), dossier("APR-2", 399.0), dossier("APR-3", 401.0))

    assert approved_of(inbox) == ["APR-2"]


def test_a_request_without_points_is_approved_only_if_it_takes_nothing_from_others() -> None:
    invoice = dossier("APR-1", type=INVOICE)
    for name in ("benefit_points", "setup_hours"):
        del invoice["fields"][name]

    assert approved_of(budgeted(400.0, invoice, dossier("APR-2"))) == ["APR-2"]


@pytest.mark.parametrize(
    ("attaches", "ends"),
    [("Q-3", [APPROVED, OVER]), (None, [MISSING, APPROVED])],
    ids=["brought", "not-brought"],
)
def test_a_request_competes_only_if_its_requester_brings_the_quote(
    attaches: str | None, ends: list[str]
) -> None:
    inbox = Inbox(dossier("APR-1", 3000.0, quotes=["Q-1"], benefit_points=90), dossier("APR-2"))
    inbox.documents += QUOTES
    inbox.ledgers["CC-310"] = Ledger(3100.0)
    inbox.replies["APR-1"] = Reply(attaches=attaches)

    inbox.worked_by(agents.oracle)

    assert inbox.settled == dict(zip(("APR-1", "APR-2"), ends, strict=True))


def test_rules_in_force_that_settle_no_sets_leave_a_short_budget_undecided() -> None:
    inbox = Inbox(dossier("APR-1"))
    inbox.ledgers["CC-310"] = Ledger(300.0)
    inbox.documents = [
        {**one, "body": one["body"].replace("setup hours", "hours")} for one in inbox.documents
    ]

    with pytest.raises(LookupError, match="setup hours"):
        inbox.worked_by(agents.oracle)


def test_what_is_rejected_or_passed_on_takes_nothing_from_a_budget() -> None:
    inbox = budgeted(
        400.0,
        dossier("APR-1", benefit_points=90, things={"Gift card": 400.0}),
        dossier("APR-2", 9000.0, benefit_points=90),
        dossier("APR-3", benefit_points=1),
    )

    assert inbox.settled["APR-3"] == APPROVED


def test_cents_add_up_exactly() -> None:
    costs = {"APR-1": 0.1, "APR-2": 0.2}

    inbox = budgeted(0.3, *(dossier(key, cost) for key, cost in costs.items()))

    assert set(inbox.settled.values()) == {APPROVED}


def test_each_cost_centre_has_its_own_budget() -> None:
    lesser = dossier("APR-3", benefit_points=19)

    inbox = budgeted(400.0, dossier("APR-1"), dossier("APR-2", cost_centre="CC-320"), lesser)

    assert inbox.settled == {"APR-1": APPROVED, "APR-2": APPROVED, "APR-3": OVER}


def test_a_stale_ledger_is_refreshed_and_waited_for_until_it_is_fresh() -> None:
    inbox = budgeted(5000.0, dossier("APR-1"), after=(5000.0, 300.0))

    assert inbox.settled == {"APR-1": OVER}
    assert inbox.called("datahub_refresh_data") == [{"metric_id": "CC-310"}] * 2
    assert len(inbox.called("wait")) == 2


def test_a_fresh_ledger_is_not_refreshed() -> None:
    inbox = budgeted(5000.0, dossier("APR-1"))

    assert inbox.called("datahub_refresh_data") == []


def test_last_years_budget_is_not_looked_at() -> None:
    inbox = budgeted(400.0, dossier("APR-1"))

    assert {given["budget_id"][:2] for given in inbox.called("datahub_get_budget")} == {"0y"}
