"""The metrics of a run: known figures, and properties that hold for any records."""

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from math import isclose
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.evaluation.agents.turn import Usage
from companyos.evaluation.runs import EpisodeEnding, EpisodeRecord, FaultResult
from companyos.evaluation.runs.intervals import Estimate, mean, share, t_quantile
from companyos.evaluation.runs.metrics import metrics_of, summary_of

from .samples import record

LAW = settings(max_examples=25, deadline=None)
FAILED_BY_ENVIRONMENT = EpisodeEnding.ENVIRONMENT_FAILURE


@st.composite
def records(draw: st.DrawFn) -> list[EpisodeRecord]:
    """Records of up to ten instances with up to three repetitions, of agents that fail in every way."""
    places = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["one", "two"]), st.integers(0, 1), st.integers(0, 5), st.integers(0, 2)
            ),
            unique=True,
            max_size=30,
        )
    )
    return [draw(record_at(*place)) for place in places]


@st.composite
def record_at(draw: st.DrawFn, scenario: str, chaos: int, seed: int, repeat: int) -> EpisodeRecord:
    ended = draw(st.sampled_from(EpisodeEnding))
    finished = ended is EpisodeEnding.FINISHED
    return record(
        seed,
        chaos=chaos,
        repeat=repeat,
        scenario=scenario,
        ended=ended,
        success=finished and draw(st.booleans()),
        episode_return=draw(st.integers(-300, 300)) / 10,
        steps=draw(st.integers(1, 60)),
        oracle_steps=draw(st.none() | st.integers(1, 30)),
        feasible=draw(st.sampled_from([True, False, None])),
        faults=tuple(draw(st.lists(st.sampled_from([FaultResult("f", s) for s in STATES]), max_size=3))),
        violations=draw(st.dictionaries(st.sampled_from(["a", "b"]), st.integers(1, 3))),
        usage=Usage(draw(st.integers(0, 99)), draw(st.integers(0, 99)), 0, draw(st.none() | st.just(0.5))),
    )


STATES = ("armed", "landed", "detected", "overcome")


def rates(outcomes: Sequence[float]) -> Estimate:
    found = share(outcomes)
    assert found is not None
    return found


@LAW
@given(st.integers(0, 40), st.integers(0, 40))
def test_the_interval_of_a_share_is_that_of_wilson(successes: int, failures: int) -> None:
    if not successes + failures:
        assert share([]) is None
        return
    found = rates([1.0] * successes + [0.0] * failures)

    for end in (found.low, found.high):
        assert end is not None
        spread = 1.959964**2 * end * (1 - end) / (successes + failures)
        assert (found.value - end) ** 2 == pytest.approx(spread, abs=1e-6)


@LAW
@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_a_share_lies_in_its_interval_and_that_between_nothing_and_everything(values: list[float]) -> None:
    found = rates(values)

    assert found.low is not None
    assert found.high is not None
    assert 0 <= found.low <= found.value <= found.high <= 1


@LAW
@given(st.lists(st.floats(-50, 50), min_size=2, max_size=30))
def test_a_mean_lies_in_the_middle_of_its_interval(values: list[float]) -> None:
    found = mean(values)

    assert found is not None
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high
    assert isclose(found.high - found.value, found.value - found.low, abs_tol=1e-9)


def test_one_value_has_a_mean_and_no_interval() -> None:
    assert mean([3.0]) == Estimate(3.0, None, None, 1)
    assert mean([]) is None


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.7062), (10, 2.2281), (11, 2.2010), (30, 2.0423), (1000, 1.9623)]
)
def test_quantiles_of_t_are_those_of_the_tables(freedom: int, quantile: float) -> None:
    assert t_quantile(freedom) == pytest.approx(quantile, abs=2e-4)


def test_intervals_of_95_percent_hold_the_truth_about_that_often() -> None:
    draws = random.Random(7)
    held_mean = held_share = 0
    for _ in range(1_000):
        middle = mean([draws.gauss(5, 2) for _ in range(12)])
        rate = share([float(draws.random() < 0.3) for _ in range(40)])
        assert middle
        assert rate
        held_mean += (middle.low or 0) <= 5 <= (middle.high or 0)
        held_share += (rate.low or 0) <= 0.3 <= (rate.high or 0)

    assert 920 <= held_mean <= 975
    assert 920 <= held_share <= 985


@LAW
@given(records())
def test_pass_k_is_the_chance_that_k_attempts_drawn_all_succeed(found: list[EpisodeRecord]) -> None:
    attempts: dict[tuple[object, ...], list[bool]] = {}
    for one in found:
        if one.is_scored:
            attempts.setdefault(one.instance, []).append(one.success)

    metrics = metrics_of(found)

    assert metrics.pass_hat_k.get(1) == metrics.success
    for k in (1, 2):
        enough = [tried for tried in attempts.values() if len(tried) >= k]
        if not enough:
            assert k not in metrics.pass_hat_k
            continue
        chances = [fmean(float(all(drawn)) for drawn in combinations(tried, k)) for tried in enough]
        assert metrics.pass_hat_k[k].value == pytest.approx(fmean(chances))


@LAW
@given(records(), st.randoms())
def test_the_order_of_the_records_changes_nothing(found: list[EpisodeRecord], order: random.Random) -> None:
    shuffled = order.sample(found, len(found))

    assert summary_of("r", shuffled) == summary_of("r", found)


@LAW
@given(records())
def test_environment_failures_are_counted_and_change_no_other_metric(
    found: list[EpisodeRecord],
) -> None:
    failed = record(99, ended=FAILED_BY_ENVIRONMENT, steps=50, violations={"a": 3}, episode_return=-99.0)

    before, after = metrics_of(found), metrics_of([*found, failed])

    assert after.endings["environment_failure"] == before.endings.get("environment_failure", 0) + 1
    same = (
        "scored",
        "success",
        "pass_hat_k",
        "pair_accuracy",
        "episode_return",
        "steps",
        "faults",
        "violations",
    )
    for name in same:
        assert getattr(after, name) == getattr(before, name)


@LAW
@given(records())
def test_pair_accuracy_is_at_most_success_on_the_pairs_by_the_gap(found: list[EpisodeRecord]) -> None:
    metrics = metrics_of(found)
    if metrics.pair_accuracy is None or metrics.pattern_gap is None:
        assert metrics.pair_accuracy is metrics.pattern_gap
        return

    scored = {(one.instance, one.repeat) for one in found if one.is_scored}
    whole = [
        one
        for one in found
        if one.is_scored and ((one.scenario, one.chaos, one.seed ^ 1), one.repeat) in scored
    ]
    success = fmean(float(one.success) for one in whole)
    assert metrics.pattern_gap.value == pytest.approx(success - metrics.pair_accuracy.value)
    assert metrics.pattern_gap.value >= 0


@LAW
@given(records())
def test_every_episode_is_in_one_cell_and_one_level(found: list[EpisodeRecord]) -> None:
    summary = summary_of("r", found)

    assert sum(cell.episodes for cell in summary.cells.values()) == len(found)
    assert sum(level.episodes for level in summary.levels.values()) == len(found)
    assert sum(summary.overall.endings.values()) == summary.overall.episodes == len(found)
    assert summary.document()["overall"]["episodes"] == len(found)


@LAW
@given(records())
def test_of_faults_no_more_are_overcome_than_landed_and_no_more_landed_than_were_armed(
    found: list[EpisodeRecord],
) -> None:
    for recovery in metrics_of(found).faults.values():
        assert recovery.detected <= recovery.landed <= recovery.armed
        assert (recovery.overcome is None) == (recovery.landed == 0)


def test_a_pair_is_solved_with_both_of_its_instances() -> None:
    metrics = metrics_of(
        [record(0, success=True), record(1), record(2, success=True), record(3, success=True)]
    )

    assert metrics.success == share([1, 0, 1, 1])
    assert metrics.pair_accuracy == share([0, 1])
    assert metrics.pattern_gap is not None
    assert metrics.pattern_gap.value == 0.25


def test_half_a_pair_and_an_open_loop_plan_prove_nothing() -> None:
    assert metrics_of([record(0, success=True), record(3, success=True)]).pair_accuracy is None
    open_loop = metrics_of([record(seed, success=seed % 2 == 0) for seed in range(20)])
    assert open_loop.success
    assert open_loop.success.value == 0.5
    assert open_loop.pair_accuracy
    assert open_loop.pair_accuracy.value == 0.0


def test_reliability_falls_with_the_number_of_attempts() -> None:
    found = [record(0, repeat=repeat, success=repeat < 6) for repeat in range(8)]

    passes = metrics_of(found).pass_hat_k

    assert [round(passes[k].value, 4) for k in (1, 2, 4, 8)] == [0.75, 0.5357, 0.2143, 0.0]


def test_steps_are_compared_with_the_oracle_where_the_agent_succeeded() -> None:
    found = [
        record(0, success=True, steps=12, oracle_steps=10),
        record(1, success=True, steps=18, oracle_steps=10),
        record(2, steps=40, oracle_steps=10),
        record(3, success=True, steps=9),
    ]

    over = metrics_of(found).steps_over_oracle

    assert over
    assert (over.value, over.count) == (1.5, 2)


def test_a_success_counts_for_the_fewest_known_steps_over_its_own() -> None:
    found = [
        record(0, success=True, steps=20, oracle_steps=10),
        record(1, success=True, repeat=0, steps=8, oracle_steps=10),
        record(1, success=True, repeat=1, steps=16, oracle_steps=10),
        record(2, steps=4),
    ]

    assert metrics_of(found).spl == share([10 / 20, (8 / 8 + 8 / 16) / 2, 0])
    assert metrics_of([*found, record(3, success=True, steps=9)]).spl is None


def test_refusals_are_judged_by_whether_the_task_could_be_done() -> None:
    refused = EpisodeEnding.REFUSED
    found = [
        record(0, ended=refused, feasible=False, success=True),
        record(1, ended=refused, feasible=True),
        record(2, feasible=False),
        record(3, feasible=True, success=True),
    ]

    metrics = metrics_of(found)

    assert metrics.refusal_precision == share([1, 0])
    assert metrics.refusal_recall == share([1, 0])


def test_money_is_known_where_a_price_is() -> None:
    paid = replace(record(0, success=True), usage=Usage(10, 5, 2, 0.5))
    unpaid = replace(record(1), usage=Usage(1, 1))

    assert metrics_of([unpaid]).tokens.cost_usd is None
    tokens = metrics_of([paid, unpaid, replace(paid, key="again", success=False)]).tokens
    assert (tokens.prompt, tokens.completion, tokens.cached, tokens.cost_usd) == (21, 11, 4, 1.0)
    assert tokens.per_success_usd == 1.0
    assert tokens.per_episode == 32 / 3


def test_metrics_without_episodes_are_empty() -> None:
    metrics = metrics_of([])

    assert (metrics.episodes, metrics.success, metrics.faults) == (0, None, {})
    assert metrics.document()["pass_hat_k"] == {}
