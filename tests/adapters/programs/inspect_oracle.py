"""Evaluate the oracle with Inspect: usage `inspect_oracle.py URL LOGS tools|mcp`."""

import json
import sys
from typing import Any

from inspect_ai import eval as evaluate
from inspect_ai import score
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from companyos.integrations.inspect_ai import companyos, grade
from companyos.integrations.inspect_samples import scenarios_in, seeds_in
from tests.adapters.programs.oracle import OracleModel

SEEDS = (7, 8)


def main(url: str, logs: str, via: Any) -> None:
    oracle = OracleModel(url, [{"scenario": "vendor_onboarding", "seed": seed} for seed in SEEDS])

    def output(messages: Any, tools: Any, choice: Any, config: Any) -> ModelOutput:
        call = oracle([shown(message) for message in messages if message.role in ("user", "tool")])
        said = (
            ModelOutput.for_tool_call("oracle", call["name"], call["arguments"])
            if call
            else ModelOutput.from_content("oracle", "Done.")
        )
        # Otherwise Inspect counts tokens with a file that it downloads.
        said.usage = ModelUsage()
        return said

    task = {"scenario": "vendor_onboarding", "seeds": "7,8", "via": via, "base_url": url}
    model = get_model("mockllm/oracle", custom_outputs=output)
    (log,) = evaluate(
        "companyos/companyos", task_args=task, model=model, log_dir=logs, display="none", max_samples=2
    )
    assert log.status == "success", log.error and log.error.message
    again = score(read_eval_log(log.location), grade(base_url="http://127.0.0.1:9"), action="overwrite")
    parsed = [list(seeds_in(each)) for each in (7, "7", "7,9", "0-2,9", [7, "9"], (7, 9))]  # type: ignore[arg-type]
    named = [list(scenarios_in(each)) for each in ("a", "a,b", " a, b,a", ["a", "b"], ("a,b", "c"))]
    samples = [each.id for each in companyos(scenario="bug_escalation,expense_report", seeds=7).dataset]
    played = {"scores": scores_of(log), "again": scores_of(again)}
    print(json.dumps({**played, "seeds": parsed, "scenarios": named, "samples": samples}))


def scores_of(log: Any) -> list[Any]:
    return [each.value for sample in log.samples or [] for each in (sample.scores or {}).values()]


def shown(message: Any) -> str:
    """Return what a message shows a model: of a refused call, the error."""
    error = getattr(message, "error", None)
    return error.message if error else message.text


if __name__ == "__main__":
    main(*sys.argv[1:])
