"""Logs of oracles: their actions on a seed and the responses, from which every attack is built."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from companyos.evaluation.agents import Oracle
from companyos.sdk.scenario import Action, Observation, Scenario, call
from companyos.sdk.scripts.asking import Refused

from .branches import Played, Trainer

#: The tools that end an episode.
ENDS: Final = ("finish", "refuse")
#: The argument that makes a repeated call idempotent.
KEY: Final = "idempotency_key"
_AT_A_LOSS: Final = (Refused, LookupError, TypeError, ValueError, RuntimeError)


@dataclass(frozen=True)
class OracleLog:
    """An oracle's episode.

    Attributes:
        first: The observation of the reset, with the tools.
        actions: What it did, without idempotency keys, so that a repeated call is carried out again.
        answers: The observation after each action.
        earned: The return of the episode.
    """

    seed: int
    first: Observation
    actions: tuple[Action, ...]
    answers: tuple[Observation, ...]
    earned: float
    success: bool

    @cached_property
    def acts(self) -> Sequence[Action]:
        """The actions except the one that ends the episode."""
        return [action for action in self.actions if action["tool_name"] not in ENDS]


async def recorded(trainer: Trainer, scenario: Scenario, seed: int) -> OracleLog:
    """Return the log of an oracle's episode; it ends early if the oracle does not know how to continue."""
    branch, first = await trainer.reset(scenario.name, seed)
    agent, last = Oracle(scenario), first
    actions: list[Action] = []
    answers: list[Observation] = []
    agent.start(first.observation)
    while not last.done and (action := _next(agent, last)) is not None:
        last = await branch.step(action)
        actions.append(_without_key(action))
        answers.append(last.observation)
    await branch.close()
    return OracleLog(
        seed, first.observation, tuple(actions), tuple(answers), last.episode_return, last.success
    )


def _next(agent: Oracle, last: Played) -> Action | None:
    try:
        return agent.act(last.observation)
    except _AT_A_LOSS:
        return None


def _without_key(action: Action) -> Action:
    arguments = {name: value for name, value in action["arguments"].items() if name != KEY}
    return call(action["tool_name"], **arguments)
