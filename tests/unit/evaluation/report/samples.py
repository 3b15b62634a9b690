"""Runs to report on, written as `companyos run` writes them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from companyos.evaluation.runs import (
    AgentSpec,
    Budgets,
    EpisodeRecord,
    FaultResult,
    PredicateKind,
    PredicateResult,
    Run,
    RunFolder,
    RunRequest,
    read_run,
)
from tests.unit.evaluation.runs.samples import record

MET = PredicateResult("metric_fresh", PredicateKind.MUST, True, "The metric is up to date.")
UNMET = PredicateResult("approved", PredicateKind.MUST, False, "The request was approved.")
BROKEN = PredicateResult(
    "asked_twice", PredicateKind.FORBIDDEN, False, "The same decision was requested more than once."
)


def request(**parts: Any) -> RunRequest:
    """A request of two scenarios at two levels."""
    asked: dict[str, Any] = {
        "agent": AgentSpec("openai", "a-model", {"temperature": 0.2}),
        "scenarios": {"one": 1, "two": 1},
        "seeds": (0, 1),
        "chaos": (0, 3),
        "budgets": Budgets(steps=40),
    }
    return RunRequest(**(asked | parts))


def written(folder: Path, records: Sequence[EpisodeRecord], *, name: str = "a-model", **parts: Any) -> Run:
    """Write a run and read it."""
    about = {"name": name, "companyos_version": "0.1.0", "argv": ["run", "--agent", "openai"]}
    about["started_at"] = "2026-11-22T10:00:00+00:00"
    with RunFolder.open(folder, request(**parts), about) as run:
        for each in records:
            run.keep(each, None, None)
    return read_run(folder)


def mixed() -> list[EpisodeRecord]:
    """Episodes of two scenarios at two levels: everything solved at the lower one, half of it at the upper one."""
    solved = {"success": True, "predicates": (MET,), "steps": 12, "oracle_steps": 10, "episode_return": 13.0}
    failed = {"predicates": (MET, UNMET), "steps": 30, "faults": (FaultResult("svc.latency", "landed"),)}
    fault = {"faults": (FaultResult("svc.latency", "overcome"), FaultResult("biz.stale_metric", "detected"))}
    return [
        record(
            seed,
            chaos=chaos,
            scenario=scenario,
            **({**solved, **fault} if chaos == 0 or seed == 0 else failed),
        )
        for scenario in ("one", "two")
        for chaos in (0, 3)
        for seed in (0, 1)
    ]
