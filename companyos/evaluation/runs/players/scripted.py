"""The built-in agents, as a run plays them."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import blake2b
from typing import Any, Final

from companyos.scenario import Observation, Scenario, find

from ...agents import Agent, Careful, DoNothing, Naive, Oracle, RandomPool
from ...agents.turn import AgentFailed, AgentTurn, AsyncAgent
from ..request import EpisodeTask

#: Makes the agent of one episode.
AgentSource = Callable[[EpisodeTask], AsyncAgent]


class CannotPlay(ValueError):
    """An agent cannot play a scenario; the message says why."""


class ScriptedPlayer:
    """Plays an agent that decides synchronously.

    Args:
        agent: The agent of one episode.
    """

    system_prompt = ""

    def __init__(self, agent: Agent) -> None:
        self._agent = agent
        self.tools: Sequence[Mapping[str, Any]] = ()

    async def start(self, observation: Observation) -> None:
        """Begin an episode."""
        self.tools = functions_of(observation)
        try:
            self._agent.start(observation)
        except Exception as failure:
            raise AgentFailed(f"{type(failure).__name__}: {failure}") from failure

    async def act(self, observation: Observation) -> AgentTurn:
        """Return the agent's next action."""
        try:
            return AgentTurn(self._agent.act(observation))
        except Exception as failure:
            raise AgentFailed(f"{type(failure).__name__}: {failure}") from failure

    async def close(self) -> None:
        """Do nothing, because there is nothing to release."""


def scripted_source(kind: str) -> AgentSource:
    """Return the source of one of `SCRIPTED`."""
    make = SCRIPTED[kind]
    return lambda task: ScriptedPlayer(make(find(task.scenario), task))


def check_can_play(kind: str, scenario: Scenario) -> None:
    """Check that one of `SCRIPTED` can play a scenario.

    Raises:
        CannotPlay: The scenario does not have this script.
    """
    if kind in ("naive", "careful") and kind not in scenario.scripts:
        raise CannotPlay(f"{scenario.name} brings no {kind} agent")


def functions_of(observation: Observation) -> list[dict[str, Any]]:
    """Return an observation's tools in OpenAI function format."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool["name"],
                "description": tool["description"],
                "parameters": tool["input_schema"],
            },
        }
        for tool in observation.get("tools", ())
    ]


def number_of(task: EpisodeTask) -> int:
    """Return a number that identifies an episode, and differs between its repetitions."""
    return int.from_bytes(blake2b(task.key.encode(), digest_size=6).digest())


#: The agents by their names on the command line.
SCRIPTED: Final[Mapping[str, Callable[[Scenario, EpisodeTask], Agent]]] = {
    "do_nothing": lambda scenario, task: DoNothing(),
    "random": lambda scenario, task: RandomPool(number_of(task)),
    "naive": lambda scenario, task: Naive(scenario),
    "careful": lambda scenario, task: Careful(scenario),
    "oracle": lambda scenario, task: Oracle(scenario),
}
#: The agents that play a script of the scenario, which calls tools by name.
SCENARIO_SCRIPTS: Final = ("naive", "careful", "oracle")
