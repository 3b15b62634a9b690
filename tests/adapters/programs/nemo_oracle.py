"""Play the oracle through the environment on NeMo Gym's page, as its server does: usage `nemo_oracle.py URL PAGE`."""

import json
import sys
from pathlib import Path

from openenv.core.env_server.mcp_types import CallToolAction, ListToolsAction

from tests.adapters.programs.harmless import TASK, earned
from tests.adapters.programs.oracle import OracleModel
from tests.adapters.programs.page import blocks, run

RESET = {"scenario": "vendor_onboarding", "seed": 7, "chaos": 1, "tools": "scenario"}


def main(url, page):
    names = run(blocks(Path(page)))
    oracle = OracleModel(url, [{**RESET, "rewards": "drill"}])
    env = names["NemoCompanyos"]()
    first = env.reset(**RESET)
    tools = {tool.name: tool.input_schema["properties"] for tool in env.step(ListToolsAction()).tools}
    seen, total, done = [first.result], first.reward, False
    while not done:
        call = oracle(seen)
        # The server fills in what a call leaves out.
        arguments = dict.fromkeys(tools[call["name"]]) | call["arguments"]
        observation = env.step(CallToolAction(tool_name=call["name"], arguments=arguments))
        seen.append(observation.result)
        total += observation.reward
        done = observation.done
    card = env.env.grade()
    env.close()
    row = json.loads(Path("companyos.jsonl").read_text())["responses_create_params"]
    assert row["input"][0]["content"] == first.result
    print(
        json.dumps(
            {
                "rewards_sum": total,
                "episode_return": card.episode_return,
                "success": card.success,
                "tools": sorted(tools),
                "row_tools": sorted(tool["name"] for tool in row["tools"]),
                "left": earned(lambda calls: left_early(names["NemoCompanyos"](), calls)),
            }
        )
    )


def left_early(env, calls):
    """Return what the server has added up for an episode whose model stops after some calls."""
    total = env.reset(**TASK).reward
    for each in calls:
        total += env.step(CallToolAction(tool_name=each["tool_name"], arguments=each["arguments"])).reward
    env.close()
    return round(total, 6)


if __name__ == "__main__":
    main(*sys.argv[1:])
