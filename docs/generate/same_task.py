"""The table of one task through several frameworks, from what `make adapters` played."""

import json
from pathlib import Path
from typing import Final

#: What each framework left, as `make adapters` wrote it.
RESULTS: Final = Path(__file__).parents[1] / "explanation" / "same_task.json"
#: What was played, in words, by framework.
_PLAYED: Final = {
    "gymnasium": ("Gymnasium", "`GymEnv.step`"),
    "skyrl": ("SkyRL", "`SkyrlEnv.step`, calls written between tags"),
    "openenv": ("OpenEnv's harness", "`ResourceSession.call_tool`"),
    "trl-pinned": ("TRL", "the methods of an environment of `CompanyosFactory`"),
    "inspect": ("Inspect", "an evaluation, its tools called by a scripted model"),
    "verifiers": ("verifiers", "`vf-eval`, its MCP tools called by a scripted model"),
}


def table() -> str:
    """Return the table, with a sentence on what was played."""
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))
    played = {(row["scenario"], row["steps"]) for row in rows.values()}
    ((task, steps),) = played
    lines = [
        f"Played: {task}, {steps} steps.",
        "",
        "| framework | played by | trace hash |",
        "|---|---|---|",
    ]
    for name, row in rows.items():
        framework, how = _PLAYED[name]
        lines.append(f"| {framework} {row['version']} | {how} | `{row['hash']}` |")
    return "\n".join(lines)
