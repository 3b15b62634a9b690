"""OpenEnv's static checks that need no image: what the manifest declares is within the policy, and true."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import httpx
import yaml

from companyos.sdk.splits import SEEDS
from tests.e2e.one_image.container import CONFINED

from .openenv_plan import MANIFEST, ROOT

POLICY = "lib/python*/site-packages/openenv/validation/policies/severity-v2.json"


def declared(part: str) -> dict[str, Any]:
    """Return a part of what the manifest declares to validators."""
    found: dict[str, Any] = yaml.safe_load(MANIFEST.read_text())["validation"][part]
    return found


def test_the_declared_resources_are_the_limits_that_the_image_is_tested_within() -> None:
    resources = declared("resources")

    assert {f"--memory={resources['memory_mb']}m", f"--cpus={resources['cpu']}"} <= set(CONFINED)
    assert resources["disk_mb"] > 0
    assert "gpus" not in resources


def test_the_declared_timeout_is_within_the_policy(openenv_python: Path) -> None:
    [policy] = openenv_python.parents[1].glob(POLICY)
    most_s = json.loads(policy.read_text(encoding="utf-8"))["bounds"]["max_episode_timeout_s"]

    assert 0 < declared("resources")["episode_timeout_s"] <= most_s


def test_the_image_installs_locked_packages_only() -> None:
    commands = (ROOT / "Dockerfile").read_text().replace("\\\n", " ")

    installs = re.findall(r"pip [^&\n]*install [^&\n]*", commands)
    others = [each for each in installs if "--require-hashes -r" not in each]
    assert len(installs) > len(others)
    assert all("--no-index" in each or "--no-deps" in each for each in others), others


async def test_the_declared_seed_is_that_of_the_first_task(http: httpx.AsyncClient) -> None:
    seed = declared("task_distribution")["generator_seed"]

    first = (await http.post("/companyos/task", json={"split": "train", "index": 0})).json()["task"]
    assert first["seed"] == seed == min(min(seeds) for seeds in SEEDS.values())
