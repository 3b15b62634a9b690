"""Logs of oracles: their actions on a seed and the responses, from which every attack is built."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Final

from companyos.evaluation.agents import Oracle
from companyos.evaluation.agents.turn import ENDS_OF_A_CALL
from companyos.sdk.scenario import Action, Observation, Scenario, call

from .branches import Trainer

#: The tools that end an episode.
ENDS: Final = ("finish", "refuse")
#: The argument that makes a repeated call idempotent.
KEY: Final = "idempotency_key"


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
    agent, last = begun_oracle(scenario, first.observation), first
    actions: list[Action] = []
    answers: list[Observation] = []
    while not last.done and (action := next_action(agent, last.observation)) is not None:
        last = await branch.step(action)
        actions.append(_without_key(action))
        answers.append(last.observation)
    await branch.close()
    return OracleLog(
        seed, first.observation, tuple(actions), tuple(answers), last.episode_return, last.success
    )


def begun_oracle(scenario: Scenario, first: Observation) -> Oracle:
    """Return an oracle that has begun an episode; one whose script could not begin has no next action."""
    agent = Oracle(scenario)
    with suppress(*ENDS_OF_A_CALL):
        agent.start(first)
    return agent


def next_action(agent: Oracle, seen: Observation) -> Action | None:
    """Return an oracle's next action; None where its script does not know how to continue, whatever it raises."""
    try:
        return agent.act(seen)
    except ENDS_OF_A_CALL:
        return None


def _without_key(action: Action) -> Action:
    arguments = {name: value for name, value in action["arguments"].items() if name != KEY}
    return call(action["tool_name"], **arguments)
