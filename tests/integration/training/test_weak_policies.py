"""Reinforcement does not take from a policy what little it knows."""

import json
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="PyTorch comes with the extra `train`", exc_type=ImportError)

from companyos.client.batch import CompanyosBatch  # noqa: E402
from companyos.embedded.detached import running_stack  # noqa: E402
from companyos.embedded.home import Home  # noqa: E402
from companyos.training.cloning import clone  # noqa: E402
from companyos.training.config import CloningConfig, ReinforcementConfig  # noqa: E402
from companyos.training.reinforcement import reinforce  # noqa: E402
from tests.sizes import whole_proof  # noqa: E402

SEEDS = (0, 1, 2)
CALLS = 3000
#: Weak policies of eight demonstrations, on starts from which they succeed now and then.
DEMONSTRATIONS = 8
TASKS: dict[str, Any] = {"scenarios": ("bug_escalation",), "rungs": (4,), "held_out": 40}
CLONING: dict[str, Any] = {"demonstrations": DEMONSTRATIONS, "width": 32, "updates": 400, "play_every": 400}
#: The steps by which policies that were not held lost what they knew.
LONG_STEPS: dict[str, Any] = {"learning_rate": 3e-4, "epochs": 2, "updates": 24, "evaluate_every": 24}


@whole_proof
def test_policies_of_eight_demonstrations_are_no_worse_after_3000_calls_by_episode(tmp_path: Path) -> None:
    with running_stack(Home.at(tmp_path / "home")) as stack:
        batch = CompanyosBatch(stack.url, 16)
        curves = [reinforced(batch, seed, tmp_path) for seed in SEEDS]
        batch.close()

    before, after = zip(*((curve[0], curve[-1]) for curve in curves), strict=True)
    assert all(last["all_calls"] >= CALLS for last in after)
    assert all(last["success"] >= first["success_low"] for first, last in zip(before, after, strict=True))
    assert fmean(last["success"] for last in after) >= fmean(first["success"] for first in before) > 0


def reinforced(batch: CompanyosBatch, seed: int, folder: Path) -> list[dict[str, Any]]:
    """Clone a policy, go on by reinforcement, and return the curve of that."""
    start, out = folder / f"clone-{seed}", folder / f"reinforced-{seed}"
    clone(CloningConfig(out=start, seed=seed, **TASKS, **CLONING), batch, print)
    first = {"start": start, "first_seed": DEMONSTRATIONS}
    reinforce(ReinforcementConfig(out=out, seed=seed, **first, **TASKS, **LONG_STEPS), batch, print)
    return [json.loads(line) for line in (out / "metrics.jsonl").read_text().splitlines()]
