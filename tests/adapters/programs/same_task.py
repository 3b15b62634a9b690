"""Play one task with the oracle's calls through a framework: usage `same_task.py URL gymnasium|skyrl|openenv`."""

from __future__ import annotations

import json
import sys
from typing import Any

from tests.adapters.programs.oracle import Call, played, written

RESET = {"scenario": "vendor_onboarding", "seed": 7, "chaos": 1, "rewards": "drill"}


def through_gymnasium(url: str, calls: list[Call]) -> Any:
    from companyos.integrations.gymnasium import GymEnv

    env = GymEnv(url, **RESET)
    env.reset()
    for call in calls:
        env.step(json.dumps(call))
    return env


def through_skyrl(url: str, calls: list[Call]) -> Any:
    from companyos.integrations.skyrl import SkyrlEnv

    env = SkyrlEnv({"base_url": url}, RESET)
    env.init([])
    for call in calls:
        env.step(written(call))
    return env


def through_openenv(url: str, calls: list[Call]) -> Any:
    from companyos.integrations.harness import SessionFactory

    session = SessionFactory(url, scenario="vendor_onboarding").create({"prompt": "", **RESET})
    for call in calls:
        session.call_tool(call["name"], call["arguments"])
    return session


THROUGH = {
    "gymnasium": through_gymnasium,
    "skyrl": through_skyrl,
    "openenv": through_openenv,
}


def main(url: str, framework: str) -> None:
    env = THROUGH[framework](url, played(url, RESET).calls)
    metadata = env.result.metadata
    print(json.dumps({"success": metadata["success"], "trace_hash": metadata["trace_hash"]}))


if __name__ == "__main__":
    main(*sys.argv[1:])
