"""Narrates one live episode: the oracle's calls, what it reads, and the faults that land and are overcome."""

from collections.abc import Iterator, Mapping, Sequence
from textwrap import shorten, wrap
from typing import Any, Final

from companyos.cli.story import landing_text
from companyos.client import CompanyosEnv, Result
from companyos.evaluation.agents import Oracle
from companyos.sdk.chaos import NAMES, FaultId
from companyos.sdk.scenario import Action, Scenario
from companyos.sdk.scripts.asking import Refused

LEVEL: Final = 3
_WIDTH: Final = 100
#: The words printed when a fault reaches each stage.
_STAGES: Final = (("landed_at", "goes wrong"), ("overcome_at", "overcome  "))

Account = Sequence[Mapping[str, Any]]


def tell(env: CompanyosEnv, scenario: Scenario, seed: int, level: int = LEVEL) -> Iterator[str]:
    """Play an episode with the oracle at a chaos level, and yield what happens, one line at a time."""
    result = env.reset(scenario=scenario.name, seed=seed, chaos=level)
    agent = Oracle(scenario)
    agent.start(result.observation)
    yield f"{scenario.title} at chaos level {level} ({NAMES[level]}), seed {seed}, step by step:"
    yield from (f"  > {line}" for line in wrap(" ".join(result.observation.text.split()), _WIDTH))
    while not result.done:
        try:
            action = agent.act(result.observation)
        except Refused as refusal:
            yield f"  the oracle gives up: {refusal}"
            return
        result = env.step(action)
        yield _step(result, action)
        yield from _read(result)
        yield from _faults(env.trace()[0]["faults"], result)
    yield _end(result, env.trace()[0]["faults"])


def _step(result: Result, action: Action) -> str:
    seen, arguments = result.observation, action.get("arguments", {})
    given = ", ".join(str(value) for name, value in arguments.items() if name != "idempotency_key")
    outcome = seen.error["message"] if seen.error else "done"
    called = shorten(f"{action['tool_name']}({given})", 60)
    return f"  {seen.step:>3} {called}: {shorten(outcome, _WIDTH)}"


def _read(result: Result) -> Iterator[str]:
    """Yield the beginning of a document or message that the call returned."""
    found = result.observation.result
    if isinstance(found, Mapping) and isinstance(found.get("body"), str):
        name = found.get("title") or found.get("subject") or found.get("about") or ""
        text = " ".join(line for line in found["body"].split("\n") if not line.startswith("#"))
        yield f"      reads {name}: {shorten(text, 2 * _WIDTH, placeholder=' …')}"


def _faults(account: Account, result: Result) -> Iterator[str]:
    seen = result.observation
    for line in account:
        text = landing_text(FaultId(line["fault"]), seen.error)
        for stage, word in _STAGES:
            if line[stage] == seen.step:
                yield f"      {word} {line['fault']}{f': {text}' if text and stage == 'landed_at' else ''}"


def _end(result: Result, account: Account) -> str:
    landed = [line for line in account if line["landed_at"] is not None]
    overcome = sum(line["overcome_at"] is not None for line in landed)
    ended = "solved" if result.metadata.success else "not solved"
    return (
        f"  {ended} in {result.observation.step} steps; faults that landed: {len(landed)}, overcome: {overcome}, "
        f"never seen: {len(account) - len(landed)}."
    )
