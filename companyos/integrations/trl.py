"""TRL: environments for the `environment_factory` of GRPOTrainer and AsyncGRPOTrainer. TRL itself is not imported.

    trainer = GRPOTrainer(..., environment_factory=CompanyosFactory(scenario="vendor_onboarding"))

TRL creates one environment per concurrent episode and reuses them, with resets, for the whole run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from companyos.client import CompanyosError, Result

from .connection import REWARDS, EpisodeInvalid, connect, final_result, options_in, reset_of, return_of
from .functions import Tool, method_of


@dataclass(frozen=True)
class CompanyosFactory:
    """Makes environments; called without arguments, as TRL does. It can be pickled.

    Attributes:
        base_url: URL of the trainer API; by default the stack on this machine, which is started if necessary.
        scenario: Scenario of rows that name none.
        chaos: Chaos of rows that name none.
        rewards: Reward profile of rows that name none. `drill` pays for partial work, which a trainer that sees
            only the sum of an episode needs, and never more for giving up.
        tools: Tools for agents: `scenario` (those that the scenario can need at this chaos), `all`, or exactly
            the named ones. They must suit all rows, because TRL reads the tools once.
        tools_format: `signatures` describes each tool by one sentence and the names of its arguments.
        observation_format: `compact` shows less of results.
        door: `tools`, or `text`: the tools are the actions of a text browser on the pages.
        headers: Headers of every request, for a proxy in front of the server.
    """

    base_url: str | None = None
    scenario: str = "vendor_onboarding"
    chaos: int | str = 1
    rewards: str = REWARDS
    tools: str | tuple[str, ...] = "scenario"
    tools_format: str = "schemas"
    observation_format: str = "full"
    door: str = "tools"
    headers: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    def __call__(self) -> TrainingEnvironment:
        """Return a new environment whose class has the tools as methods; ValueError for a door of pictures."""
        if self.door == "screenshot":
            raise ValueError("TRL's tools return no pictures: choose the door text")
        return environment_class(self)(self)


class TrainingEnvironment:
    """One episode at a time over one connection. Its public methods are those TRL requires, and the tools.

    Attributes:
        result: The result of the latest reset or call, for reward functions: `result.metadata.success`.
    """

    def __init__(self, factory: CompanyosFactory) -> None:
        """Connect to the factory's stack."""
        self._factory = factory
        self._env = connect(factory.base_url, factory.headers, door=factory.door)
        self._outage: Exception | None = None
        self.result: Result | None = None

    def reset(self, /, **row: Any) -> str:
        """Start the episode that a dataset row describes, and return the task as text.

        Args:
            row: The columns. `scenario`, `seed`, `chaos`, `rewards`, `reward_mode`, `max_steps`, `size`, `start` and
                `snapshot` are options of the reset; all others are ignored. A `snapshot` decides the world.
        """
        self._outage = None
        defaults, options = _options(self._factory), options_in(row)
        tools = {"tools": _offered(self._factory, options)}
        self.result = self._env.reset(**reset_of(defaults, options, tools))
        return self.result.observation.text

    def get_reward(self) -> float | None:
        """Return the sum of the rewards, or None if the environment failed, so TRL skips the episode.

        An episode that is not over is ended, because TRL asks when the model will not act again.
        """
        if self.result is None or self._outage is not None:
            return None
        try:
            self.result = final_result(self._env, self.result)
            return return_of(self.result)
        except (EpisodeInvalid, CompanyosError):
            return None

    def __del__(self) -> None:
        """Close the connection, because TRL never closes environments."""
        try:
            self._env.close()
        except Exception:  # noqa: BLE001, S110 - at exit nobody can be told, and modules may be gone
            pass


def _play(environment: TrainingEnvironment, name: str, arguments: Mapping[str, Any]) -> str:
    """Play a tool call and return the observation as text. TRL shows the text of an exception to the model."""
    if environment.result is None or environment.result.done:
        raise ValueError("The task has ended. No further call is possible.")
    try:
        environment.result = environment._env.call(name, **arguments)
    except CompanyosError as error:
        environment._outage = error
        raise ValueError("The tool is unavailable.") from error
    return environment.result.observation.text


@cache
def environment_class(factory: CompanyosFactory) -> type[TrainingEnvironment]:
    """Return the class of a factory's environments, with methods built once from a first episode's tools."""
    methods = {tool["name"]: method_of(tool, _play) for tool in _tools(factory)}
    # TRL logs the reward under the name of the class.
    name = "".join(word.capitalize() for word in factory.scenario.split("_"))
    return type(name, (TrainingEnvironment,), methods)


@cache
def _tools(factory: CompanyosFactory) -> list[Tool]:
    with connect(factory.base_url, factory.headers, door=factory.door) as env:
        found: list[Tool] = env.reset(**_options(factory), tools=_asked_for(factory)).observation["tools"]
    return found


def _asked_for(factory: CompanyosFactory) -> str | list[str]:
    return list(factory.tools) if isinstance(factory.tools, tuple) else factory.tools


def _offered(factory: CompanyosFactory, row: Mapping[str, Any]) -> str | list[str]:
    """Return the company's tools for the episode of a row: those of the class, by name where its own may differ.

    Names would be part of the trace. The tools of a text browser suit every episode.
    """
    world = {"scenario": factory.scenario, "chaos": str(factory.chaos)}
    own = {name: str(row.get(name, value)) for name, value in world.items()}
    if factory.door == "text" or (own == world and "snapshot" not in row):
        return _asked_for(factory)
    return [tool["name"] for tool in _tools(factory)]


def _options(factory: CompanyosFactory) -> dict[str, Any]:
    names = ("scenario", "chaos", "rewards", "tools_format", "observation_format")
    return {name: getattr(factory, name) for name in names}
