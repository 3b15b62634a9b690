"""Play the oracle through OpenEnv's harness, as AsyncGRPO's worker does: usage `harness_oracle.py URL`."""

import json
import sys

from openenv.core.harness import HarnessRunLimits, MCPHarnessAdapter, ModelStepResult
from openenv.core.llm_client import LLMResponse, ToolCall

from companyos.integrations.harness import SessionFactory
from tests.adapters.programs.harmless import TASK, earned
from tests.adapters.programs.oracle import OracleModel

RESET = {"scenario": "vendor_onboarding", "seed": 7, "rewards": "drill"}


def main(url):
    oracle = OracleModel(url, [RESET])
    factory = SessionFactory(url, scenario=RESET["scenario"], first_seed=5)
    outcomes = []
    for task in ("Work on this.", [{"role": "user", "content": "Work on this."}], {"prompt": "", "seed": 7}):
        session = factory.create(task, seed=2, episode_id=f"harness-{len(outcomes)}")
        result = MCPHarnessAdapter().run_white_box(turn_of(oracle), session, HarnessRunLimits(max_turns=60))
        verified = session.verify(result.messages)
        late = session.call_tool("wait", {"seconds": 60})
        session.close()
        outcomes.append(
            {
                "reward": verified.env_reward,
                "done": result.done,
                "late": late.error,
                "calls": len(result.tool_trace),
                **verified.metrics,
                **verified.artifacts,
            }
        )
    print(json.dumps({"sessions": outcomes, "left": earned(lambda calls: left_early(factory, calls))}))


def left_early(factory, calls):
    """Return what a session earned whose model stops after some calls."""
    session = factory.create(TASK)
    for each in calls:
        session.call_tool(each["tool_name"], each["arguments"])
    verified = session.verify([])
    session.close()
    return verified.env_reward


def turn_of(oracle):
    def turn(messages, tools, sampling):
        assert {tool.name for tool in tools} >= {"wait", "finish"}
        call = oracle([each["content"] for each in messages if each["role"] in ("user", "tool")])
        calls = [ToolCall(id="1", name=call["name"], args=call["arguments"])] if call else []
        return ModelStepResult(LLMResponse(content="", tool_calls=calls))

    return turn


if __name__ == "__main__":
    main(*sys.argv[1:])
