"""A play that fails says what was missing, how it ended, which call was refused, and where to look next."""

from dataclasses import replace
from typing import Any

import pytest

from companyos.evaluation.conformance.outcome import Played, refusal
from companyos.evaluation.script_failures import ScriptFailure
from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import Action, call, load_scenario

from .test_complaints import HANDOVER

GRADE = {
    "step_count": 7,
    "musts": [{"name": "workload_known", "holds": True}],
    "forbidden": [],
    "orders": [],
    "collateral": [],
}
ERROR = {"code": "invalid_request", "message": "`references` needs 1 to 20 items."}


def played(last: Action | None, *, feasible: bool = True, level: int = 0, **others: Any) -> Played:
    """Return a failed play of an instance that can be done, or that has to be refused."""
    drawn = [load_scenario(HANDOVER).generate(seed, parse_chaos(0), "companyos-public") for seed in (0, 1)]
    instance = replace(next(one for one in drawn if one.feasible is feasible), max_steps=15)
    return Played(instance, level, {}, {"success": False}, GRADE, last, **others)


def test_an_unmet_must_is_told_with_the_steps_and_the_last_refusal() -> None:
    unmet = replace(
        played(call("finish"), refused=refusal(3, call("ticketdesk_verify_ticket"), ERROR)),
        grade={**GRADE, "musts": [{"name": "recall_approved", "holds": False}]},
    )

    assert unmet.outcome == (
        "recall_approved does not hold, after 7 of 15 steps; "
        "last refusal: step 3, ticketdesk_verify_ticket: invalid_request: `references` needs 1 to 20 items."
    )


def test_above_level_0_the_command_that_shows_the_faults_is_told() -> None:
    there, calm = played(call("wait"), level=4), played(call("wait"))

    assert f"`companyos chaos explain 4 --scenario handover --seed {there.instance.seed}`" in there.outcome
    assert "chaos explain" not in calm.outcome


def test_an_episode_that_ran_out_of_steps_is_told() -> None:
    spent = replace(
        played(call("wait")),
        grade={**GRADE, "step_count": 15},
        metadata={"success": False, "truncated": True},
    )

    assert spent.outcome == "it did not end with `finish` or `refuse`, after 15 of 15 steps"


def test_a_refusal_for_another_reason_or_without_its_evidence_is_told() -> None:
    wrong = played(call("refuse", reason_code="too_busy", evidence=[]), feasible=False)
    metric_id = wrong.instance.private[0]

    assert wrong.outcome == (
        f"`refuse` gave the reason 'too_busy', not 'no_capacity'; `refuse` lacks the evidence {metric_id}, "
        "after 7 of 15 steps"
    )


@pytest.mark.parametrize(
    ("last", "feasible", "told"),
    [
        (call("refuse", reason_code="x"), True, "it ended with `refuse`, but the task can be done"),
        (call("finish"), False, "it ended with `finish`, but the task has to be refused"),
        (call("finish", answer=3), True, "its answer is wrong"),
        (None, True, "it did not end with `finish` or `refuse`"),
    ],
)
def test_the_wrong_ending_is_told(last: Action | None, feasible: bool, told: str) -> None:
    assert played(last, feasible=feasible).outcome.startswith(told)


def test_a_script_with_a_bug_has_crashed_and_one_that_was_refused_has_given_up() -> None:
    bug = ScriptFailure("KeyError: 'recall_from' (scenario.py:9)", crashed=True)
    given_up = ScriptFailure("Refused: desk_close: not_allowed (scenario.py:12)", crashed=False)

    assert played(call("wait"), failure=bug).outcome.startswith("the script crashed: KeyError: 'recall_from'")
    assert played(call("wait"), failure=given_up).outcome.startswith(
        "the script gave up: Refused: desk_close"
    )
