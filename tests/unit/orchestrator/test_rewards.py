"""The laws of the ledger: exact, paid once, taken back, and no loop pays."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from companyos.sdk.scenario import Harm
from orchestrator.grading.rewards import (
    Ending,
    Harmed,
    Moved,
    StepFacts,
    entries,
    payout,
    total,
)
from orchestrator.protocol.effects import RowKey
from orchestrator.protocol.options import RewardMode, RewardProfile
from orchestrator.protocol.records import NOTHING, paid
from orchestrator.protocol.trace_records import CallOutcome, Entry

from .sample_tasks import grader, wrote

SEED = RewardProfile.SEED


def amounts(deed: StepFacts, profile: RewardProfile = SEED) -> dict[str, Decimal]:
    return {line.name: line.amount for line in entries(profile, deed)}


@pytest.mark.parametrize(
    ("call", "cost"),
    [
        (CallOutcome.DONE, "-0.10"),
        (CallOutcome.FAILED, "-0.10"),
        (CallOutcome.REFUSED, "-0.40"),
        (CallOutcome.BAD_ARGUMENTS, "-0.60"),
        (CallOutcome.UNKNOWN_TOOL, "-1.10"),
        (CallOutcome.VIOLATION, "-5.10"),
    ],
)
def test_a_call_costs_its_step_and_its_mistake(call: CallOutcome, cost: str) -> None:
    assert total(entries(SEED, StepFacts(call))) == Decimal(cost)


@pytest.mark.parametrize(
    ("ending", "amount"),
    [
        (Ending.SUCCESS, "14.90"),
        (Ending.FAILURE, "-2.10"),
        (Ending.RIGHT_REFUSAL, "14.90"),
        (Ending.WRONG_REFUSAL, "-2.10"),
        (Ending.TIMEOUT, "-5.10"),
    ],
)
def test_an_ending_pays_what_it_is_worth(ending: Ending, amount: str) -> None:
    assert total(entries(SEED, StepFacts(CallOutcome.DONE, ending=ending))) == Decimal(amount)


def test_every_line_names_its_predicate_and_rows() -> None:
    place = RowKey("desk", "tickets", "T1")
    deed = StepFacts(
        CallOutcome.DONE,
        moved=(Moved("verified", 1.5, True, (place,)), Moved("linked", 1.0, False)),
        harmed=(
            Harmed("paid_twice", Harm.DUPLICATE),
            Harmed("closed", Harm.IRREVERSIBLE),
            Harmed("other_ticket", Harm.FORBIDDEN),
        ),
    )

    assert amounts(deed) == {
        "step": Decimal("-0.10"),
        "milestone:verified": Decimal("1.50"),
        "milestone:linked": Decimal("-1.00"),
        "duplicate:paid_twice": Decimal("-3.00"),
        "irreversible:closed": Decimal("-10.00"),
    }
    assert entries(SEED, deed)[1].document == {
        "name": "milestone:verified",
        "amount": 1.5,
        "evidence": ["desk/tickets/T1"],
    }


def test_the_sparse_profile_pays_success_and_nothing_else() -> None:
    moved = (Moved("verified", 1.5, True),)

    assert amounts(StepFacts(CallOutcome.VIOLATION, moved), RewardProfile.SPARSE) == {}
    assert amounts(StepFacts(CallOutcome.DONE, ending=Ending.FAILURE), RewardProfile.SPARSE) == {}
    assert amounts(StepFacts(CallOutcome.DONE, ending=Ending.SUCCESS), RewardProfile.SPARSE) == {
        "success": Decimal(1)
    }
    assert amounts(StepFacts(CallOutcome.DONE, ending=Ending.RIGHT_REFUSAL), RewardProfile.SPARSE) == {
        "success": Decimal(1)
    }


@pytest.mark.parametrize("ending", list(Ending))
def test_a_potential_is_taken_back_at_every_end(ending: Ending) -> None:
    last = StepFacts(CallOutcome.DONE, (Moved("linked", 1.0, True),), ending=ending, standing=(1.5, 1.0))

    paid_back = amounts(last, RewardProfile.POTENTIAL)

    assert (paid_back["milestone:linked"], paid_back["milestones_taken_back"]) == (
        Decimal(1),
        Decimal("-2.50"),
    )


def test_progress_is_kept_by_an_episode_that_was_cut_off_and_by_no_other() -> None:
    for ending in Ending:
        told = amounts(
            StepFacts(CallOutcome.DONE, ending=ending, standing=(1.5, 1.0)), RewardProfile.PROGRESS
        )
        kept = ending is Ending.TIMEOUT
        assert told.get("milestones_taken_back", NOTHING) == (NOTHING if kept else Decimal("-1.35"))


def test_all_milestones_together_are_worth_at_most_six_in_progress() -> None:
    sizes = (1.0, 1.0, 1.5, 1.0, 0.5, 1.0, 2.0, 3.0)
    moved = tuple(Moved(f"m{number}", size, True) for number, size in enumerate(sizes))

    earned = total(entries(RewardProfile.PROGRESS, StepFacts(CallOutcome.DONE, moved))) + Decimal("0.10")

    assert Decimal("5.90") < earned <= Decimal(6)


@pytest.mark.parametrize(
    ("profile", "charged"),
    [(RewardProfile.SEED, "-0.50"), (RewardProfile.POTENTIAL, "0"), (RewardProfile.PROGRESS, "0")],
)
def test_only_the_seed_profile_charges_for_a_setback(profile: RewardProfile, charged: str) -> None:
    setback = StepFacts(
        CallOutcome.DONE, (Moved("rejected_1", -0.5, True),), standing=(-0.5,), ending=Ending.FAILURE
    )

    assert total(entries(profile, setback)) - Decimal("-2.10") == Decimal(charged)


STATES = st.fixed_dictionaries(
    {
        "priority": st.sampled_from([None, "high", "medium"]),
        "verified": st.booleans(),
    }
)


def played(
    states: list[dict[str, Any]], profile: RewardProfile = SEED, ending: Ending | None = None
) -> list[Decimal]:
    """The step totals of an episode whose steps leave T1 in these states; the last one ends it so."""
    task = grader(forbidden=(), orders=())
    totals = []
    for number, state in enumerate(states, start=1):
        moved, over = task.advance(number, wrote(**state)).moved, ending if number == len(states) else None
        totals.append(total(entries(profile, StepFacts(moved=moved, ending=over, standing=task.standing))))
    return totals


@given(st.lists(STATES, min_size=1, max_size=12))
def test_shaping_by_a_potential_sums_to_nothing_over_any_episode(path: list[dict[str, Any]]) -> None:
    steps = Decimal("-0.10") * len(path)

    assert sum(played(path, RewardProfile.POTENTIAL, Ending.TIMEOUT)) == steps + Decimal("-5.00")


@pytest.mark.parametrize("ending", [Ending.FAILURE, Ending.WRONG_REFUSAL])
@given(path=st.lists(STATES, min_size=1, max_size=12))
def test_a_wrong_end_never_earns_more_than_the_same_end_at_once(
    ending: Ending, path: list[dict[str, Any]]
) -> None:
    at_once = Decimal("-2.10")

    for profile in (SEED, RewardProfile.POTENTIAL, RewardProfile.PROGRESS):
        assert sum(played(path, profile, ending)) == at_once + Decimal("-0.10") * (len(path) - 1)


@given(st.lists(STATES, max_size=12), STATES)
def test_the_same_final_state_earns_the_same_milestones_by_any_path(
    path: list[dict[str, Any]], final: dict[str, Any]
) -> None:
    steps = Decimal("-0.10")

    assert sum(played([*path, final])) - steps * (len(path) + 1) == sum(played([final])) - steps


@given(STATES, st.lists(STATES, min_size=1, max_size=6))
def test_loops_of_actions_have_a_negative_return(start: dict[str, Any], loop: list[dict[str, Any]]) -> None:
    rewards = played([start, *loop, start])

    assert sum(rewards[1:]) == Decimal("-0.10") * (len(loop) + 1)


MISTAKES = [
    CallOutcome.REFUSED,
    CallOutcome.BAD_ARGUMENTS,
    CallOutcome.UNKNOWN_TOOL,
    CallOutcome.NO_CALL,
]
CALLS = st.sampled_from([CallOutcome.DONE, CallOutcome.FAILED, *MISTAKES])
FAILURES = (Ending.FAILURE, Ending.WRONG_REFUSAL, Ending.TIMEOUT)


def drilled(
    path: list[tuple[dict[str, Any], CallOutcome]], ending: Ending, harm: tuple[Harmed, ...] = ()
) -> Decimal:
    """The return of a drill whose steps leave T1 in these states; the harm happens in its first step."""
    task = grader(forbidden=(), orders=())
    earned = NOTHING
    for number, (state, call) in enumerate(path, start=1):
        facts = replace(
            task.advance(number, wrote(**state), earned),
            call=call,
            harmed=harm if number == 1 else (),
            harms=tuple(one.harm for one in harm),
            ending=ending if number == len(path) else None,
        )
        earned += total(entries(RewardProfile.DRILL, facts))
    return earned


PATHS = st.lists(st.tuples(STATES, CALLS), min_size=1, max_size=80)
AT_ONCE = total(entries(RewardProfile.DRILL, StepFacts(ending=Ending.FAILURE)))


@given(PATHS)
def test_in_a_drill_no_failure_without_harm_is_worse_than_giving_up_at_once(
    path: list[tuple[dict[str, Any], CallOutcome]],
) -> None:
    earned = {drilled(path, ending) for ending in FAILURES}

    assert len(earned) == 1
    assert AT_ONCE == 0 <= min(earned)


@given(PATHS, PATHS)
def test_in_a_drill_any_success_is_worth_more_than_any_failure(
    path: list[tuple[dict[str, Any], CallOutcome]], other: list[tuple[dict[str, Any], CallOutcome]]
) -> None:
    for success in (Ending.SUCCESS, Ending.RIGHT_REFUSAL):
        assert drilled(path, success) > max(drilled(other, failure) for failure in FAILURES)


@given(PATHS, st.sampled_from(MISTAKES))
def test_in_a_drill_a_mistake_never_pays(
    path: list[tuple[dict[str, Any], CallOutcome]], mistake: CallOutcome
) -> None:
    mistaken = [(state, mistake if number == 0 else call) for number, (state, call) in enumerate(path)]

    for ending in Ending:
        assert drilled(mistaken, ending) <= drilled(path, ending)


@pytest.mark.parametrize("kind", [Harm.DUPLICATE, Harm.IRREVERSIBLE])
@given(path=PATHS)
def test_in_a_drill_harm_is_never_given_back(
    kind: Harm, path: list[tuple[dict[str, Any], CallOutcome]]
) -> None:
    done = (Harmed("closed", kind),)

    assert drilled(path, Ending.FAILURE, done) < drilled(path, Ending.FAILURE)


@given(
    st.lists(st.decimals(-20, 20, places=2), min_size=1, max_size=30),
    st.sampled_from(RewardMode),
)
def test_the_return_is_the_sum_of_step_rewards_in_both_modes(earned: list[Decimal], mode: RewardMode) -> None:
    ledger, rewards = NOTHING, []
    for number, now in enumerate(earned, start=1):
        done = number == len(earned)
        rewards.append(payout(mode, earlier=ledger, now=now, done=done))
        ledger += now
        assert paid(mode, ledger=ledger, done=done) == sum(rewards)

    assert sum(rewards) == ledger == total(Entry("line", amount) for amount in earned)
    assert mode is RewardMode.DENSE or rewards[:-1] == [NOTHING] * (len(earned) - 1)
