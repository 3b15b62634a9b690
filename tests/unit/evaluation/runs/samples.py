"""Requests and records to test with."""

from dataclasses import replace
from typing import Any

from companyos.evaluation.agents.turn import Usage
from companyos.evaluation.runs import (
    AgentSpec,
    EpisodeEnding,
    EpisodeRecord,
    FaultResult,
    PredicateKind,
    PredicateResult,
    RunRequest,
)

REQUEST = RunRequest(
    agent=AgentSpec("oracle", "oracle"),
    scenarios={"vendor_onboarding": 4, "expense_report": 4},
    seeds=(0, 1),
    chaos=(0, 3),
)
WON = EpisodeRecord(
    key="vendor_onboarding-c3-s7-r0",
    scenario="vendor_onboarding",
    version=4,
    seed=7,
    pair=3,
    chaos=3,
    repeat=0,
    episode_id="5aab184328337fe32afb700fd93bd54c",
    ended=EpisodeEnding.FINISHED,
    success=True,
    episode_return=15.3,
    steps=12,
    max_steps=164,
    terminated=True,
    feasible=True,
    predicates=(PredicateResult("data_refreshed", PredicateKind.MUST, True, "The metric is up to date."),),
    milestones={"data_refreshed": True},
    faults=(FaultResult("biz.stale_metric", "overcome"),),
    usage=Usage(1_000, 100, 400, 0.01),
    sim_elapsed_s=1140,
    wall_s=0.4,
    trace_hash="2409699cc34c412f0e05ae464a34121c",
    started_at="2026-11-22T10:47:15+00:00",
)


def record(
    seed: int = 0, *, chaos: int = 0, repeat: int = 0, scenario: str = "one", **parts: Any
) -> EpisodeRecord:
    """A record of an episode that the agent failed, unless the parts say otherwise."""
    blank = EpisodeRecord(
        key=f"{scenario}-c{chaos}-s{seed}-r{repeat}",
        scenario=scenario,
        version=1,
        seed=seed,
        pair=seed // 2,
        chaos=chaos,
        repeat=repeat,
        episode_id="x",
        ended=EpisodeEnding.FINISHED,
    )
    return replace(blank, **parts)
