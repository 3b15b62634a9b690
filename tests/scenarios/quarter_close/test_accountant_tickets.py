"""The accountants on closes made by hand: which variances remain, who is asked, and who has to approve."""

from typing import Any

import pytest

from companyos.sdk.simtime import DAY
from scenarios.quarter_close import agents, texts

from ..replies import NOON
from .workplace import (
    CFO,
    CONTROLLER,
    DEPUTY,
    OTHER_OWNER,
    OWNER,
    PERIOD,
    Figure,
    Workplace,
    called,
    filed,
    mail,
    memo,
    played,
    submitted,
    told,
)

#: A line of which 0.5 percent, or 5.00, is tolerated.
FAR = Figure(final=1030.0, variance=30.0)
NOTHING = [texts.SILENT[0]]


def close(*figures: Figure, **given: Any) -> Workplace:
    """Return a workplace with lines MET-1, MET-2 and so on, whose owners cannot explain anything."""
    numbered = {f"MET-{number}": one for number, one in enumerate(figures, start=1)}
    answers = dict.fromkeys(numbered, NOTHING)
    return Workplace(numbered, **{"answers": answers, **given})


@pytest.mark.parametrize("sign", [1, -1], ids=["above", "below"])
@pytest.mark.parametrize(
    ("size", "is_beyond"),
    [(4.99, False), (5.0, False), (5.01, True)],
    ids=["within", "at the tolerance", "a cent beyond"],
)
def test_a_variance_counts_if_it_is_beyond_the_tolerance_in_either_direction(
    sign: int, size: float, is_beyond: bool
) -> None:
    figure = Figure(final=1000.0 + sign * size, variance=sign * size)

    assert filed(played(close(figure))).keys() == ({"MET-1"} if is_beyond else set())


@pytest.mark.parametrize(
    ("size_class", "category", "tolerated"),
    [
        ("major", "balance", 5.0),
        ("major", "result", 10.0),
        ("minor", "balance", 20.0),
        ("minor", "result", 40.0),
    ],
)
def test_the_tolerance_depends_on_the_class_of_the_entity_and_the_category_of_the_line(
    size_class: str, category: str, tolerated: float
) -> None:
    within, beyond = (
        Figure(final=1000.0 + size, variance=size, category=category)
        for size in (tolerated, tolerated + 0.01)
    )

    acts = played(close(within, beyond, size_class=size_class))

    assert filed(acts).keys() == {"MET-2"}


def test_nobody_is_asked_and_no_memo_is_read_if_nothing_is_beyond_the_tolerance() -> None:
    acts = played(close(Figure(final=1005.0, variance=5.0), documents=[memo({"MET-1": 5.0})]))

    assert called(acts, "datahub_message_colleague") == []
    assert len(called(acts, "datahub_search_documents")) == 1


@pytest.mark.parametrize(
    ("explained", "is_left"),
    [(25.01, False), (25.0, False), (24.99, True)],
    ids=["more", "enough", "a cent less"],
)
def test_what_the_controllers_memo_explains_is_deducted_before_the_tolerance_is_applied_again(
    explained: float, is_left: bool
) -> None:
    acts = played(close(FAR, documents=[memo({"MET-1": explained})]))

    assert bool(called(acts, "datahub_message_colleague")) == is_left
    assert bool(filed(acts)) == is_left


@pytest.mark.parametrize(
    "other",
    [
        memo({"MET-1": 30.0}, author="finn.director"),
        memo({"MET-1": 30.0}, status="superseded"),
        memo({"MET-1": 30.0}, title="Differences of Halden Paper Trading, Q2 2031"),
        memo({"MET-1": 30.0}, title="Differences of Halden Paper, Q1 2031"),
        memo({"MET-2": 30.0}),
    ],
    ids=["another author", "superseded", "another entity", "another quarter", "another line"],
)
def test_no_other_memo_explains_anything(other: dict[str, object]) -> None:
    assert filed(played(close(FAR, documents=[other]))).keys() == {"MET-1"}


def test_the_memo_of_the_controller_is_found_behind_those_of_others() -> None:
    memos = [memo({"MET-1": 1.0}, author="finn.director"), memo({"MET-1": 30.0})]

    assert filed(played(close(FAR, documents=memos))) == {}


@pytest.mark.parametrize("explained", [24.99, 25.0])
def test_an_owners_answer_is_deducted_like_a_memo(explained: float) -> None:
    acts = played(close(FAR, answers={"MET-1": told(explained)}))

    assert bool(filed(acts)) == (explained < 25.0)


def test_memo_and_answer_add_up() -> None:
    documents = [memo({"MET-1": 10.0})]

    assert filed(played(close(FAR, documents=documents, answers={"MET-1": told(15.0)}))) == {}
    assert submitted(played(close(FAR, documents=documents)))["unexplained"] == 20.0


def test_only_the_owners_of_what_no_memo_explains_are_asked() -> None:
    acts = played(close(FAR, FAR, FAR, documents=[memo({"MET-2": 30.0})]))

    asked = [(one["to"], one["about"]) for one in called(acts, "datahub_message_colleague")]
    assert asked == [(OWNER, "MET-1"), (OWNER, "MET-3")]


def test_owners_are_asked_after_everything_is_current() -> None:
    acts = played(close(FAR, Figure(stale=True)))

    names = [name for name, _ in acts]
    assert names.index("datahub_message_colleague") > names.index("datahub_refresh_data")
    assert "datahub_refresh_data" not in names[names.index("datahub_message_colleague") :]


def test_a_mail_from_before_the_question_explains_nothing() -> None:
    before = mail("MSG-OLD", OWNER, "MET-1", told(30.0)[0], NOON - DAY)

    assert filed(played(close(FAR, mails=[before]))).keys() == {"MET-1"}


def test_a_mail_from_somebody_else_explains_nothing() -> None:
    others = mail("MSG-NEW", OTHER_OWNER, "MET-1", told(30.0)[0], NOON)

    assert filed(played(close(FAR, mails=[others]))).keys() == {"MET-1"}


def test_a_question_of_somebody_who_was_not_asked_is_not_answered() -> None:
    others = mail("MSG-NEW", OTHER_OWNER, "MET-1", texts.WHICH, NOON)

    acts = played(close(FAR, mails=[others]))

    assert [one["to"] for one in called(acts, "datahub_message_colleague")] == [OWNER]


def test_an_owner_who_asks_which_quarter_is_told_the_period_once() -> None:
    answers = {"MET-1": [texts.WHICH], PERIOD: told(30.0)}

    acts = played(close(FAR, answers=answers))

    asked = [one["about"] for one in called(acts, "datahub_message_colleague")]
    assert asked == ["MET-1", PERIOD]
    assert filed(acts) == {}


def test_an_owner_of_several_lines_who_asks_back_is_asked_about_each_again() -> None:
    answers = {
        "MET-1": [texts.WHICH, *told(30.0)],
        "MET-2": [texts.WHICH, *NOTHING],
        PERIOD: ["Thanks."],
    }

    acts = played(close(FAR, FAR, answers=answers))

    asked = [one["about"] for one in called(acts, "datahub_message_colleague")]
    assert asked == ["MET-1", "MET-2", PERIOD, "MET-1", "MET-2"]
    assert filed(acts).keys() == {"MET-2"}


def test_only_the_owner_who_asks_back_is_told_the_period() -> None:
    theirs = Figure(final=1030.0, variance=30.0, owner=OTHER_OWNER)
    answers = {"MET-1": [texts.WHICH], PERIOD: NOTHING, "MET-2": told(30.0)}

    acts = played(close(FAR, theirs, answers=answers))

    about_period = [one["to"] for one in called(acts, "datahub_message_colleague") if one["about"] == PERIOD]
    assert about_period == [OWNER]
    assert filed(acts).keys() == {"MET-1"}


@pytest.mark.parametrize(
    ("left", "priority"), [(24.99, "medium"), (25.0, "medium"), (25.01, "high"), (300.0, "high")]
)
def test_priority_is_high_only_above_the_share_that_the_manual_names(left: float, priority: str) -> None:
    acts = played(close(Figure(final=1000.0 + left, variance=left)))

    assert filed(acts) == {"MET-1": priority}


def test_what_was_explained_does_not_raise_the_priority() -> None:
    acts = played(close(Figure(final=1100.0, variance=100.0), answers={"MET-1": told(80.0)}))

    assert filed(acts) == {"MET-1": "medium"}


@pytest.mark.parametrize(("status", "is_filed"), [("new", False), ("in_progress", False), ("closed", True)])
def test_an_open_ticket_of_a_colleague_is_enough(status: str, is_filed: bool) -> None:
    acts = played(close(FAR, tickets={"MET-1": status}))

    assert bool(filed(acts)) == is_filed


def test_a_colleagues_ticket_counts_in_the_request() -> None:
    acts = played(close(FAR, FAR, tickets={"MET-1": "new"}))

    assert filed(acts).keys() == {"MET-2"}
    assert (submitted(acts)["variances"], submitted(acts)["unexplained"]) == (2, 60.0)


def test_the_request_adds_up_what_remains_and_not_the_variances() -> None:
    figures = FAR, Figure(final=1040.0, variance=40.0), Figure(final=1003.0, variance=3.0)

    acts = played(close(*figures, documents=[memo({"MET-1": 10.0})]))

    assert (submitted(acts)["variances"], submitted(acts)["unexplained"]) == (2, 60.0)


def test_tickets_are_filed_before_the_request_is_submitted() -> None:
    names = [name for name, _ in played(close(FAR, FAR))]

    last = max(number for number, one in enumerate(names) if one == "ticketdesk_create_ticket")
    assert last < names.index("approvalflow_submit_approval")
    assert names.count("ticketdesk_create_ticket") == 2


@pytest.mark.parametrize(
    ("limit", "approver"), [(30.01, CONTROLLER), (30.0, CFO), (29.99, CFO)], ids=["below", "at", "above"]
)
def test_the_sum_decides_whether_the_controller_or_the_chief_financial_officer_approves(
    limit: float, approver: str
) -> None:
    acts = played(close(FAR, limit=limit))

    assert [one["approver"] for one in called(acts, "approvalflow_submit_approval")] == [approver]


def test_the_deputy_of_an_absent_approver_is_asked() -> None:
    acts = played(close(FAR, on_duty=DEPUTY))

    assert [one["approver"] for one in called(acts, "approvalflow_submit_approval")] == [DEPUTY]


def test_the_careful_agent_believes_the_memo_of_anybody_and_asks_nobody() -> None:
    documents = [memo({"MET-1": 30.0}, author="finn.director")]

    acts = played(close(FAR, FAR, documents=documents, answers={"MET-2": told(30.0)}), agents.careful)

    assert called(acts, "datahub_message_colleague") == []
    assert filed(acts).keys() == {"MET-2"}


@pytest.mark.parametrize(("size", "is_filed"), [(10.0, False), (10.01, True)])
def test_the_naive_agent_files_whatever_is_more_than_a_percent_off(size: float, is_filed: bool) -> None:
    figure = Figure(final=1000.0 + size, variance=size)
    documents = [memo({"MET-1": size})]

    acts = played(close(figure, documents=documents, tickets={"MET-1": "new"}), agents.naive)

    assert filed(acts) == ({"MET-1": "medium"} if is_filed else {})


def test_the_naive_agent_takes_the_first_policy_for_the_manual() -> None:
    first = {"id": "DOC-0", "kind": "policy", "status": "superseded", "department": "Finance"}

    acts = played(close(FAR, documents=[first]), agents.naive)

    assert submitted(acts) == {"period": PERIOD, "variances": 1, "unexplained": 30.0, "manual": "DOC-0"}
