"""The metrics of a run, with intervals. Pure: records in, metrics out.

Instances are the sampling unit, so repetitions of an instance are averaged before an interval is computed.
Episodes in which the environment failed are counted but not scored. Episodes that ended by the agent's
errors, its budget or its step limit are failures.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from math import comb
from statistics import fmean
from typing import Any, Final

from ..fewest_steps import Attempt, fewest_steps_of, spl_of
from .folder import Run
from .intervals import Estimate, mean, share
from .reasons import counted_reasons
from .records import EpisodeEnding, EpisodeRecord
from .request import Instance

#: The numbers of attempts of pass^k.
ATTEMPTS: Final = (1, 2, 4, 8)
_LANDED: Final = frozenset({"landed", "detected", "overcome"})
_DETECTED: Final = frozenset({"detected", "overcome"})


@dataclass(frozen=True)
class FaultRecovery:
    """How often one fault was armed, landed and overcome over many episodes.

    Attributes:
        armed: How often it could have happened.
        landed: How often it happened.
        overcome: The share of these times that the agent overcame it; None if it never happened.
    """

    armed: int
    landed: int
    detected: int
    overcome: Estimate | None


@dataclass(frozen=True)
class TokenUse:
    """Tokens and cost over all episodes.

    Attributes:
        cost_usd: None if no price is known.
        per_success_usd: The cost of all episodes divided by the number of successes.
    """

    prompt: int
    completion: int
    cached: int
    per_episode: float
    cost_usd: float | None
    per_success_usd: float | None


@dataclass(frozen=True)
class RunMetrics:
    """The metrics of a set of episodes.

    Attributes:
        episodes: All episodes.
        scored: Those in which the environment did not fail.
        endings: How many episodes ended in each way.
        agent_errors: How many episodes ended in an agent error, by its message.
        success: Share of instances solved, repetitions averaged.
        pass_hat_k: For each number k of attempts, the probability that k attempts at an instance all succeed, for the
            instances with at least k attempts (pass^k of tau-bench).
        pair_accuracy: Share of counterfactual pairs of which both instances were solved.
        pattern_gap: Success on these pairs minus pair accuracy: what is solved without distinguishing the
            instances.
        steps_over_oracle: Steps of successful episodes divided by the oracle's.
        spl: Success weighted by the fewest known steps divided by those taken (Anderson et al. 2018, "On Evaluation of
            Embodied Navigation Agents"); None if none but those taken are known of an instance that was solved.
        faults: The recovery from each fault.
        violations: Violations of policy per 100 episodes, by code.
        collateral: Share of episodes that wrote rows which no allowance of the task explains.
        duplicates_per_100: Side effects that happened twice, per 100 episodes.
        refusal_precision: Of the episodes that the agent refused, the share that was infeasible.
        refusal_recall: Of the infeasible episodes, the share that the agent refused.
        environment_failures: Share of episodes in which the environment failed.
        invalid_actions_per_100_steps: Outputs that were not a call, per 100 steps.
        refused_calls_per_100_steps: Calls answered with an error, per 100 steps.
    """

    episodes: int
    scored: int
    endings: Mapping[str, int]
    agent_errors: Mapping[str, int]
    success: Estimate | None
    pass_hat_k: Mapping[int, Estimate]
    pair_accuracy: Estimate | None
    pattern_gap: Estimate | None
    episode_return: Estimate | None
    steps: Estimate | None
    steps_over_oracle: Estimate | None
    spl: Estimate | None
    faults: Mapping[str, FaultRecovery]
    violations: Mapping[str, float]
    collateral: Estimate | None
    duplicates_per_100: float
    refusal_precision: Estimate | None
    refusal_recall: Estimate | None
    environment_failures: Estimate | None
    invalid_actions_per_100_steps: float
    refused_calls_per_100_steps: float
    tokens: TokenUse

    @property
    def is_measured(self) -> bool:
        """Whether any scored episode, if there is one, ended in another way than by an agent error."""
        return not self.scored or self.endings.get(EpisodeEnding.AGENT_ERROR, 0) < self.scored

    def without_score(self) -> "RunMetrics":
        """Return the metrics without those that tell how well the agent did."""
        return replace(
            self,
            success=None,
            pass_hat_k={},
            pair_accuracy=None,
            pattern_gap=None,
            episode_return=None,
            steps=None,
            spl=None,
        )

    def document(self) -> dict[str, Any]:
        """Return the metrics as JSON."""
        return {**asdict(self), "pass_hat_k": {str(k): asdict(one) for k, one in self.pass_hat_k.items()}}


@dataclass(frozen=True)
class RunSummary:
    """The metrics of a run, over all and by scenario and chaos.

    Attributes:
        cells: The metrics of each scenario under each chaos setting.
        levels: The metrics under each chaos setting, over all scenarios.
    """

    name: str
    overall: RunMetrics
    cells: Mapping[tuple[str, int | str], RunMetrics]
    levels: Mapping[int | str, RunMetrics]

    def document(self) -> dict[str, Any]:
        """Return the summary as JSON."""
        cells = [
            {"scenario": scenario, "chaos": chaos, **metrics.document()}
            for (scenario, chaos), metrics in self.cells.items()
        ]
        levels = [{"chaos": chaos, **metrics.document()} for chaos, metrics in self.levels.items()]
        return {"name": self.name, "overall": self.overall.document(), "cells": cells, "levels": levels}


def summarize(*runs: Run) -> list[RunSummary]:
    """Return the summary of each run, with the fewest steps that are kept with the cards.

    Raises:
        FolderUnusable: A file in which they are kept is damaged.
    """
    return [summary_of(run.name, run.episodes, fewest_steps_of(run)) for run in runs]


def summary_of(
    name: str, records: Iterable[EpisodeRecord], fewest: Mapping[Instance, int] | None = None
) -> RunSummary:
    """Return the summary of a run's records, independent of their order; `fewest` is as for `metrics_of`."""
    known = sorted(
        records, key=lambda record: (record.scenario, str(record.chaos), record.seed, record.repeat)
    )
    cells: dict[tuple[str, int | str], list[EpisodeRecord]] = defaultdict(list)
    levels: dict[int | str, list[EpisodeRecord]] = defaultdict(list)
    for record in known:
        cells[record.scenario, record.chaos].append(record)
        levels[record.chaos].append(record)
    return RunSummary(
        name,
        metrics_of(known, fewest),
        {cell: metrics_of(found, fewest) for cell, found in cells.items()},
        {level: metrics_of(levels[level], fewest) for level in sorted(levels, key=str)},
    )


def metrics_of(records: Iterable[EpisodeRecord], fewest: Mapping[Instance, int] | None = None) -> RunMetrics:
    """Return the metrics of a set of episodes.

    Args:
        records: Those of one run.
        fewest: The fewest known steps of its instances, besides the oracle's and those of its own successes.
    """
    everything = list(records)
    scored = [record for record in everything if record.is_scored]
    steps, episodes = sum(record.steps for record in scored), max(len(scored), 1)
    refused = [record for record in scored if record.ended is EpisodeEnding.REFUSED]
    infeasible = [record for record in scored if record.feasible is False]
    pairs = _pairs(scored)
    return RunMetrics(
        episodes=len(everything),
        scored=len(scored),
        endings=dict(sorted(Counter(str(record.ended) for record in everything).items())),
        agent_errors=counted_reasons(everything),
        success=share(_by_instance(scored, lambda record: float(record.success))),
        pass_hat_k=_passes(scored),
        pair_accuracy=share([float(all(pair)) for pair in pairs]),
        pattern_gap=_pattern_gap(pairs),
        episode_return=mean(_by_instance(scored, lambda record: record.episode_return)),
        steps=mean(_by_instance(scored, lambda record: float(record.steps))),
        steps_over_oracle=_steps_over_oracle(scored),
        spl=_spl(scored, fewest or {}),
        faults=_recoveries(scored),
        violations=_violations(scored),
        collateral=share([float(record.collateral_rows > 0) for record in scored]),
        duplicates_per_100=100 * sum(record.duplicates for record in scored) / episodes,
        refusal_precision=share([float(record.feasible is False) for record in refused]),
        refusal_recall=share([float(record.ended is EpisodeEnding.REFUSED) for record in infeasible]),
        environment_failures=share([float(not record.is_scored) for record in everything]),
        invalid_actions_per_100_steps=100 * sum(one.invalid_actions for one in scored) / max(steps, 1),
        refused_calls_per_100_steps=100 * sum(one.refused_calls for one in scored) / max(steps, 1),
        tokens=_tokens(everything),
    )


def _by_instance(records: Iterable[EpisodeRecord], value: Callable[[EpisodeRecord], float]) -> list[float]:
    """Return the mean of a value over the repetitions of each instance."""
    found: dict[tuple[str, int | str, int], list[float]] = defaultdict(list)
    for record in records:
        found[record.instance].append(value(record))
    return [fmean(values) for values in found.values()]


def _passes(records: Iterable[EpisodeRecord]) -> dict[int, Estimate]:
    attempts: dict[tuple[str, int | str, int], list[bool]] = defaultdict(list)
    for record in records:
        attempts[record.instance].append(record.success)
    found = {
        k: share(
            [comb(sum(tried), k) / comb(len(tried), k) for tried in attempts.values() if len(tried) >= k]
        )
        for k in ATTEMPTS
    }
    return {k: estimate for k, estimate in found.items() if estimate is not None}


def _pairs(records: Iterable[EpisodeRecord]) -> list[tuple[bool, bool]]:
    """Return which instances were solved, for each completely played pair and each repetition."""
    played: dict[tuple[Any, ...], dict[int, bool]] = defaultdict(dict)
    for record in records:
        played[record.scenario, record.chaos, record.pair, record.repeat][record.seed % 2] = record.success
    return [(found[0], found[1]) for found in played.values() if len(found) == 2]


def _pattern_gap(pairs: Sequence[tuple[bool, bool]]) -> Estimate | None:
    """Estimate success minus pair accuracy: half the share of pairs with exactly one solved instance."""
    split = share([float(first != second) for first, second in pairs])
    return None if split is None else split.scaled(0.5)


def _steps_over_oracle(records: Iterable[EpisodeRecord]) -> Estimate | None:
    solved = [record for record in records if record.success and record.oracle_steps]
    return mean(_by_instance(solved, lambda record: record.steps / (record.oracle_steps or record.steps)))


def _spl(records: Sequence[EpisodeRecord], kept: Mapping[Instance, int]) -> Estimate | None:
    """Weight each success by its directness, compared with the oracle's beside it or with what is kept."""
    known = dict(kept)
    for record in records:
        if record.oracle_steps is not None:
            known[record.instance] = min(record.oracle_steps, known.get(record.instance, record.oracle_steps))
    return spl_of([Attempt(one.instance, one.success, one.steps) for one in records], known)


def _recoveries(records: Iterable[EpisodeRecord]) -> dict[str, FaultRecovery]:
    reached: dict[str, list[str]] = defaultdict(list)
    for record in records:
        for met in record.faults:
            reached[met.fault].append(met.reached)
    return {fault: _recovery(states) for fault, states in sorted(reached.items())}


def _recovery(states: Sequence[str]) -> FaultRecovery:
    landed = [state for state in states if state in _LANDED]
    return FaultRecovery(
        armed=len(states),
        landed=len(landed),
        detected=sum(state in _DETECTED for state in landed),
        overcome=share([float(state == "overcome") for state in landed]),
    )


def _violations(records: Sequence[EpisodeRecord]) -> dict[str, float]:
    found: Counter[str] = Counter()
    for record in records:
        found.update(record.violations)
    return {code: 100 * count / len(records) for code, count in sorted(found.items())}


def _tokens(records: Sequence[EpisodeRecord]) -> TokenUse:
    prompt = sum(record.usage.prompt_tokens for record in records)
    completion = sum(record.usage.completion_tokens for record in records)
    costs = [record.usage.cost_usd for record in records if record.usage.cost_usd is not None]
    successes = sum(record.success for record in records)
    return TokenUse(
        prompt=prompt,
        completion=completion,
        cached=sum(record.usage.cached_tokens for record in records),
        per_episode=(prompt + completion) / max(len(records), 1),
        cost_usd=sum(costs) if costs else None,
        per_success_usd=sum(costs) / successes if costs and successes else None,
    )
