"""The accountants on closes made by hand: what is run, in which order, and when a close is postponed."""

from typing import Any

import pytest

from companyos.sdk.simtime import to_iso
from scenarios.quarter_close import agents

from ..replies import NOON
from .workplace import (
    EARLIER,
    MANUAL,
    PERIOD,
    RUN_S,
    Figure,
    Workplace,
    called,
    manual,
    period,
    played,
    runs,
    submitted,
)

STALE = Figure(stale=True)


def refusal(acts: list[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """Return the refusal with which a play ends."""
    assert acts[-1][0] == "refuse"
    return acts[-1][1]


def test_a_close_in_which_nothing_is_wrong_is_submitted_locked_and_finished() -> None:
    acts = played(Workplace({"MET-1": Figure(), "MET-2": Figure()}))

    assert runs(acts) == []
    assert submitted(acts) == {"period": PERIOD, "variances": 0, "unexplained": 0.0, "manual": MANUAL}
    assert [name for name, _ in acts[-2:]] == ["datahub_lock_period", "finish"]
    assert acts[-2][1] == {"period_id": PERIOD}


def test_what_is_current_is_left_alone() -> None:
    acts = played(Workplace({"MET-1": STALE, "MET-2": Figure(), "MET-3": Figure(upstream=("MET-2",))}))

    assert runs(acts) == [["MET-1"]]


def test_figures_that_do_not_depend_on_each_other_are_run_together() -> None:
    assert runs(played(Workplace({"MET-2": STALE, "MET-1": STALE}))) == [["MET-1", "MET-2"]]


def test_a_figure_is_run_after_everything_that_it_is_computed_from() -> None:
    figures = {
        "MET-1": Figure(stale=True, upstream=("MET-2", "MET-3")),
        "MET-2": Figure(stale=True, upstream=("MET-3",)),
        "MET-3": STALE,
    }

    assert runs(played(Workplace(figures))) == [["MET-3"], ["MET-2"], ["MET-1"]]


def test_a_figure_that_only_looks_fresh_is_run_after_its_stale_source() -> None:
    figures = {"MET-1": Figure(upstream=("MET-2",)), "MET-2": STALE}

    assert runs(played(Workplace(figures))) == [["MET-2"], ["MET-1"]]


def test_a_stale_source_that_is_no_line_is_run_too() -> None:
    figures = {"MET-1": Figure(upstream=("MET-9",)), "MET-9": Figure(stale=True, is_line=False)}

    assert runs(played(Workplace(figures))) == [["MET-9"], ["MET-1"]]


def test_a_source_that_is_no_line_and_current_is_left_alone() -> None:
    figures = {"MET-1": Figure(stale=True, upstream=("MET-9",)), "MET-9": Figure(is_line=False)}

    assert runs(played(Workplace(figures))) == [["MET-1"]]


def test_an_agent_waits_until_the_runs_of_a_wave_have_ended() -> None:
    figures = {"MET-1": Figure(stale=True, upstream=("MET-2",)), "MET-2": STALE}

    waits = called(played(Workplace(figures)), "wait")

    assert [one["until"] for one in waits[:2]] == [to_iso(NOON + RUN_S), to_iso(NOON + 2 * RUN_S)]


@pytest.mark.parametrize("fails", [1, 2])
def test_a_run_that_fails_is_repeated_before_what_depends_on_it(fails: int) -> None:
    figures = {"MET-1": Figure(upstream=("MET-2",)), "MET-2": Figure(stale=True, fails=fails)}

    assert runs(played(Workplace(figures))) == [["MET-2"]] * (fails + 1) + [["MET-1"]]


@pytest.mark.parametrize("fails", [3, 400])
def test_a_source_that_failed_as_often_as_the_manual_says_postpones_the_close(fails: int) -> None:
    figures = {"MET-1": Figure(upstream=("MET-2",)), "MET-2": Figure(stale=True, fails=fails)}

    acts = played(Workplace(figures))

    assert runs(acts) == [["MET-2"]] * 3
    assert refusal(acts) == {"reason_code": "close_11", "evidence": ["MET-2"]}


def test_failures_of_two_figures_are_not_counted_together() -> None:
    figures = {"MET-1": Figure(stale=True, fails=2), "MET-2": Figure(stale=True, fails=2)}

    assert runs(played(Workplace(figures))) == [["MET-1", "MET-2"]] * 3


def test_other_figures_of_the_wave_are_not_run_again_with_the_one_that_failed() -> None:
    figures = {"MET-1": STALE, "MET-2": Figure(stale=True, fails=1)}

    assert runs(played(Workplace(figures))) == [["MET-1", "MET-2"], ["MET-2"]]


def test_nothing_is_run_or_filed_after_an_earlier_quarter_was_reopened() -> None:
    reopened = [period(EARLIER, "Q1 2031", 200, "reopened")]

    acts = played(Workplace({"MET-1": Figure(stale=True, variance=900.0)}, periods=reopened))

    assert runs(acts) == []
    assert refusal(acts) == {"reason_code": "close_22", "evidence": [EARLIER]}


@pytest.mark.parametrize(
    "other",
    [
        period(EARLIER, "Q1 2031", 200, "open"),
        period("PER-3", "Q3 2031", 10, "reopened"),
        period(EARLIER, "Q1 2031", 200, "locked"),
    ],
    ids=["open before", "reopened after", "locked before"],
)
def test_only_an_earlier_quarter_that_is_reopened_postpones_a_close(other: dict[str, Any]) -> None:
    acts = played(Workplace({"MET-1": Figure()}, periods=[other]))

    assert acts[-1][0] == "finish"


def test_the_periods_of_the_entity_with_exactly_that_name_are_read() -> None:
    acts = played(Workplace({"MET-1": Figure()}))

    assert called(acts, "datahub_list_periods") == [{"entity": "LE-1"}]


def test_the_manual_is_the_rule_of_finance_however_the_search_lists_it() -> None:
    other = {**manual(), "id": "DOC-8", "department": "Operations", "body": "Count everything twice."}

    acts = played(Workplace({"MET-1": Figure()}, documents=[other]))

    assert submitted(acts)["manual"] == MANUAL
    assert called(acts, "datahub_search_documents")[0]["status"] == "in_force"


@pytest.mark.parametrize(
    ("status", "locks"), [("approved", True), ("rejected", False), ("expired", False)], ids=str
)
def test_a_quarter_is_locked_only_after_the_close_was_approved(status: str, locks: bool) -> None:
    acts = played(Workplace({"MET-1": Figure()}, decisions=["pending", "held", "escalated", status]))

    assert len(called(acts, "approvalflow_get_request")) == 4
    assert bool(called(acts, "datahub_lock_period")) == locks


def test_the_careful_agent_runs_the_figures_in_order_too() -> None:
    figures = {"MET-1": Figure(upstream=("MET-2",)), "MET-2": STALE}

    assert runs(played(Workplace(figures), agents.careful)) == [["MET-2"], ["MET-1"]]


def test_the_naive_agent_runs_what_is_not_current_once_and_in_the_order_of_the_list() -> None:
    figures = {
        "MET-1": Figure(upstream=("MET-2",)),
        "MET-2": Figure(stale=True, fails=1),
        "MET-3": Figure(),
    }

    acts = played(Workplace(figures), agents.naive)

    assert runs(acts) == [["MET-1", "MET-2"]]
    assert acts[-1][0] == "finish"
