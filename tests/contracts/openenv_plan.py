"""What OpenEnv is told: the tools and tasks in `openenv.yaml`, and the plan that it plays in a container of the image.

The plan is what the oracle does in one episode. Write all of it anew with `python -m tests.contracts.openenv_plan`.
"""

import json
import re
import textwrap
from pathlib import Path
from typing import Any

import httpx

from companyos import CompanyosEnv
from companyos.sdk.splits import Split
from examples.oracle import OPTIONS, play

ROOT = Path(__file__).parents[2]
MANIFEST = ROOT / "openenv.yaml"
DISCOVERY = ROOT / "discovery.json"
PLAN = ROOT / "deploy" / "openenv" / "plan.json"
CANARY_FILE = PLAN.with_name("canaries.json")


def plan(actions: list[dict[str, object]]) -> dict[str, Any]:
    """Return the plan that plays these actions."""
    options = {name: value for name, value in OPTIONS.items() if name != "seed"}
    reset = {"episode_id": "openenv-validate", "seed": OPTIONS["seed"], "options": options}
    return {"plan_schema_version": "1", "reset": reset, "actions": actions}


def canaries(actions: list[dict[str, object]], of_its_pair: list[dict[str, object]]) -> dict[str, Any]:
    """Return the trajectories that must earn nothing: ends without work, half a solution, that of the other seed."""

    def call(tool: str, **arguments: object) -> dict[str, object]:
        return {"type": "call_tool", "tool_name": tool, "arguments": arguments}

    played = {
        "finish_at_once": [call("finish", answer="The request is approved.")],
        "refuse_at_once": [call("refuse", reason_code="policy_violation", explanation="No.")],
        "text_in_place_of_calls": [{"type": "invalid", "raw": "I have approved everything."}] * 5,
        "finish_after_half": [*actions[: len(actions) // 2], actions[-1]],
        "solution_of_the_other_seed": of_its_pair,
    }
    reset = plan([])["reset"]
    listed = [{"name": name, "reset": reset, "actions": calls} for name, calls in played.items()]
    return {"canary_schema_version": "1", "canaries": listed}


def declared(manifest: str, tools: list[str], tasks: dict[str, int]) -> str:
    """Return the text of `openenv.yaml` with these tools and this number of tasks in each split."""
    lines = textwrap.wrap(", ".join(tools), 110, initial_indent=" " * 6, subsequent_indent=" " * 6)
    counts = ", ".join(f"{split}: {count}" for split, count in tasks.items())
    told = re.sub(
        r"(declared_tools: \[).*?(\n    \])",
        lambda it: "\n".join([it[1], *lines]) + it[2],
        manifest,
        flags=re.S,
    )
    return re.sub(r"(declared_task_count: \{)[^}]*", lambda it: it[1] + counts, told)


def _declare(url: str) -> None:
    with httpx.Client(base_url=url) as http:
        tools = [tool["function"]["name"] for tool in http.get("/manifest").json()["tools"]]
        tasks = {
            split: http.post("/companyos/num_tasks", json={"split": split}).json()["num_tasks"]
            for split in Split
        }
    MANIFEST.write_text(declared(MANIFEST.read_text(), tools, tasks))
    told = json.loads(DISCOVERY.read_text())
    told["agent_tools"]["names"] = tools
    DISCOVERY.write_text(json.dumps(told, indent=1) + "\n")


if __name__ == "__main__":
    with CompanyosEnv.local() as env:
        _declare(env.base_url)
        actions = play(env)[0]
        PLAN.write_text(json.dumps(plan(actions), indent=1) + "\n")
        env.reset(**{**OPTIONS, "seed": 6})
        of_its_pair = play(env, env.state()["episode_id"])[0]
        CANARY_FILE.write_text(json.dumps(canaries(actions, of_its_pair), indent=1) + "\n")
