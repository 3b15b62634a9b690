"""The built-in agents, as a run plays them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from typing import Any, Final

from companyos.sdk.scenario import Observation, Scenario, find

from ...agents import OMISSIONS, Agent, DoNothing, Omitting, Oracle, RandomPool
from ...agents.turn import ENDS_OF_A_CALL, AgentFailed, AgentGaveUp, AgentTurn, AsyncAgent
from ...script_failures import script_failure
from ..request import EpisodeTask

#: Makes the agent of one episode.
AgentSource = Callable[[EpisodeTask], AsyncAgent]


class ScriptedPlayer:
    """Plays an agent that decides synchronously.

    Args:
        agent: The agent of one episode.
        scenario: The scenario, whose script it may play.
    """

    system_prompt = ""

    def __init__(self, agent: Agent, scenario: Scenario) -> None:
        self._agent = agent
        self._scenario = scenario
        self.tools: Sequence[Mapping[str, Any]] = ()

    async def start(self, observation: Observation) -> None:
        """Begin an episode."""
        self.tools = functions_of(observation)
        with self._failures_told():
            self._agent.start(observation)

    async def act(self, observation: Observation) -> AgentTurn:
        """Return the agent's next action."""
        with self._failures_told():
            return AgentTurn(self._agent.act(observation))

    async def close(self) -> None:
        """Do nothing, because there is nothing to release."""

    @contextmanager
    def _failures_told(self) -> Iterator[None]:
        try:
            yield
        except ENDS_OF_A_CALL as raised:
            failure = script_failure(raised, self._scenario)
            raise (AgentFailed if failure.crashed else AgentGaveUp)(failure.reason) from raised


def scripted_source(kind: str) -> AgentSource:
    """Return the source of one of `SCRIPTED`."""
    make = SCRIPTED[kind]

    def source(task: EpisodeTask) -> AsyncAgent:
        scenario = find(task.scenario)
        return ScriptedPlayer(make(scenario, task), scenario)

    return source


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


def _omitting(name: str) -> Callable[[Scenario, EpisodeTask], Agent]:
    return lambda scenario, task: Omitting(scenario, name)


#: The agents by their names on the command line.
SCRIPTED: Final[Mapping[str, Callable[[Scenario, EpisodeTask], Agent]]] = {
    "do_nothing": lambda scenario, task: DoNothing(),
    "random": lambda scenario, task: RandomPool(number_of(task)),
    **{name: _omitting(name) for name in OMISSIONS},
    "oracle": lambda scenario, task: Oracle(scenario),
}
#: The agents that play a script of the scenario, which calls tools by name.
SCENARIO_SCRIPTS: Final = (*OMISSIONS, "oracle")
