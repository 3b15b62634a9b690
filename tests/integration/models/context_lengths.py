"""Tokens of whole oracle episodes in compact forms, by SmolLM2's tokenizer.

`python -m tests.integration.models.context_lengths` plays eight seeds of every family at level 0 on the stack of
COMPANYOS_HOME, and prints the table of `docs/how-to/call-tools.md`.
"""

import json
from statistics import median

from companyos.client import CompanyosEnv
from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import Action, find, load_scenarios

from .smollm2 import tokens_of_message

CONTEXTS = (4096, 8192)
SEEDS = range(8)


def episode_tokens(env: CompanyosEnv, scenario: str, seed: int) -> int:
    """Return the tokens of an oracle's episode as a conversation: tools, task, every call and every observation."""
    result = env.reset(
        scenario=scenario, seed=seed, chaos=0, tools_format="signatures", observation_format="compact"
    )
    oracle = Oracle(find(scenario))
    oracle.start(result.observation)
    tools = "\n".join(tool["signature"] for tool in result.observation["tools"])
    tokens = tokens_of_message("system", tools) + tokens_of_message("user", result.observation.text)
    while not result.done:
        action = oracle.act(result.observation)
        result = env.step(action)
        tokens += tokens_of_message("assistant", _call_text(action))
        tokens += tokens_of_message("user", result.observation.text)
    if not result.metadata.success:
        raise RuntimeError(f"the oracle of {scenario} did not solve seed {seed}")
    return tokens


def _call_text(action: Action) -> str:
    call = {"name": action["tool_name"], "arguments": action["arguments"]}
    return json.dumps(call, separators=(",", ":"), ensure_ascii=False)


def _row(scenario: str, lengths: list[int]) -> str:
    fit = [f"{sum(length <= context for length in lengths)} of {len(lengths)}" for context in CONTEXTS]
    numbers = [f"{int(number):,}" for number in (min(lengths), median(lengths), max(lengths))]
    return f"| {' | '.join([f'`{scenario}`', *numbers, *fit])} |"


if __name__ == "__main__":
    with CompanyosEnv.local() as player:
        counted = {name: [episode_tokens(player, name, seed) for seed in SEEDS] for name in load_scenarios()}
    for family in sorted(counted, key=lambda name: median(counted[name])):
        print(_row(family, counted[family]))
