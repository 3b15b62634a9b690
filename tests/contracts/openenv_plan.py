"""The plan that `openenv validate` plays in a container of the image: what the oracle does in one episode.

Write it anew with `python -m tests.contracts.openenv_plan` when it no longer ends in success.
"""

import json
from pathlib import Path
from typing import Any

from companyos import CompanyosEnv
from examples.oracle import OPTIONS, play

PLAN = Path(__file__).parents[2] / "deploy" / "openenv" / "plan.json"


def plan(actions: list[dict[str, object]]) -> dict[str, Any]:
    """Return the plan that plays these actions."""
    options = {name: value for name, value in OPTIONS.items() if name != "seed"}
    reset = {"episode_id": "openenv-validate", "seed": OPTIONS["seed"], "options": options}
    return {"plan_schema_version": "1", "reset": reset, "actions": actions}


if __name__ == "__main__":
    with CompanyosEnv.local() as env:
        PLAN.write_text(json.dumps(plan(play(env)[0]), indent=1) + "\n")
