"""verifiers: a taskset whose tasks are episodes. One MCP server provides the tools for all rollouts.

verifiers finds a taskset by the name of an installed module that exports it:

    from companyos.integrations.verifiers import CompanyosTaskset
    __all__ = ["CompanyosTaskset"]
"""

from __future__ import annotations

from asyncio import Lock
from collections.abc import Iterator
from typing import Any
from weakref import WeakValueDictionary

import verifiers.v1 as vf

from companyos.client import AsyncCompanyosEnv
from companyos.scenario import call, find

from .connection import connect, connect_async, reset_of, stack_of
from .functions import coroutine_of


class RolloutState(vf.State):
    """The state of a rollout that the tools and the task share."""

    episode_id: str = ""


class EpisodeData(vf.TaskData):
    """A row: the options of the reset, with the task as its prompt."""

    base_url: str | None = None
    headers: dict[str, str] | None = None
    reset: dict[str, Any]


class ToolsConfig(vf.SharedToolsetConfig):
    """The configuration of the tool server, which offers the tools of an episode with these reset options."""

    base_url: str | None = None
    headers: dict[str, str] | None = None
    reset: dict[str, Any] = {}  # noqa: RUF012 - a field of a model


class CompanyosTasksetConfig(vf.TasksetConfig):
    """The settings below `--env.taskset`.

    Attributes:
        base_url: URL of the trainer API; by default the stack on this machine, which is started if necessary.
        headers: Headers of every request, for a proxy in front of the server. verifiers records them with the tasks.
        scenario: Name of the scenario.
        first_seed: Seed of the first task.
        tasks: Number of tasks; their seeds are consecutive.
        chaos: A level (0-5) or the name of a preset.
        rewards: Reward profile.
        snapshot: Id of a snapshot at which every task begins, instead of a company of its own.
    """

    base_url: str | None = None
    headers: dict[str, str] | None = None
    scenario: str = "vendor_onboarding"
    first_seed: int = 0
    tasks: int = 10
    chaos: int | str = 1
    rewards: str = "progress"
    snapshot: str | None = None

    def reset(self, index: int = 0) -> dict[str, Any]:
        """Return the options of a task's reset."""
        seed = self.first_seed + index
        task = {"scenario": self.scenario, "seed": seed, "chaos": self.chaos, "rewards": self.rewards}
        return reset_of(task, {"snapshot": self.snapshot})


class CompanyosTools(vf.Toolset[ToolsConfig, RolloutState]):
    """The tools over MCP. Each call is a step in the episode of the calling rollout."""

    TOOL_PREFIX = None

    def register(self, mcp: Any) -> None:
        """Offer every tool with the arguments that its service publishes."""
        self._stack = stack_of(self.config.base_url)
        self._idle: list[AsyncCompanyosEnv] = []
        self._turns: WeakValueDictionary[str, Lock] = WeakValueDictionary()
        with connect(self.config.base_url, self.config.headers) as env:
            tools = env.reset(**self.config.reset).observation["tools"]
        for tool in tools:
            function = self._with_state(coroutine_of(tool, self._play))
            mcp.add_tool(function, name=tool["name"], description=tool["description"])

    async def _play(self, name: str, arguments: dict[str, Any]) -> str:
        url, token = self._stack
        # A harness may call several tools at once, but an episode takes one step at a time.
        turn = self._turns.setdefault(self.state.episode_id, Lock())
        env = (
            self._idle.pop()
            if self._idle
            else AsyncCompanyosEnv(url, token=token, headers=self.config.headers)
        )
        try:
            async with turn:
                await env.attach(self.state.episode_id)
                return (await env.call(name, **arguments)).observation.text
        finally:
            env.detach()
            self._idle.append(env)


class EpisodeTask(vf.Task[EpisodeData, RolloutState]):
    """One episode per rollout: started before the agent runs, graded afterwards."""

    async def setup(self, trace: Any) -> None:
        """Start the episode."""
        async with await connect_async(self.data.base_url, self.data.headers) as env:
            await env.reset(**self.data.reset)
            trace.state.episode_id = env.detach()

    async def validate(self, runtime: Any) -> bool | None:
        """Return whether the scenario's oracle solves the task; None at a snapshot, where it cannot begin."""
        if "snapshot" in self.data.reset:
            return None
        async with await connect_async(self.data.base_url, self.data.headers) as env:
            result = await env.reset(**self.data.reset)
            script = find(result.metadata.scenario).oracle(result.observation)
            action = next(script, call("finish"))
            while not result.done:
                result = await env.step(action)
                try:
                    action = script.send(result.observation)
                except StopIteration:
                    action = call("finish")
        return bool(result.metadata.success)

    @vf.reward
    async def episode_return(self, trace: Any) -> float:
        """Return the sum of the episode's rewards.

        Raises:
            TaskError: The environment failed, so the rollout must not be scored.
        """
        async with await connect_async(self.data.base_url, self.data.headers) as env:
            await env.attach(trace.state.episode_id)
            card = await env.grade()
        if card.invalid:
            raise vf.TaskError(f"the environment failed during this episode: {card.invalid_reason}")
        trace.record_metric("success", float(bool(card.success)))
        trace.record_metric("steps", float(card.step_count))
        return float(card.episode_return)


class CompanyosTaskset(vf.Taskset[EpisodeTask, CompanyosTasksetConfig]):
    """Tasks of one scenario."""

    def load(self) -> Iterator[EpisodeTask]:
        """Yield the tasks, in order of their seeds."""
        config = self.config
        with connect(config.base_url, config.headers) as env:
            for index in range(config.tasks):
                reset = config.reset(index)
                brief = env.reset(**reset).observation.text
                name = f"{config.snapshot or config.scenario}-c{config.chaos}-s{config.first_seed + index}"
                data = EpisodeData(
                    name=name, prompt=brief, base_url=config.base_url, headers=config.headers, reset=reset
                )
                yield EpisodeTask(data, config.task)

    @classmethod
    def toolsets(cls, config: CompanyosTasksetConfig) -> list[vf.Toolset]:
        """Return the single tool server."""
        tools = ToolsConfig(base_url=config.base_url, headers=config.headers, reset=config.reset())
        return [CompanyosTools(tools)]


if __name__ == "__main__":
    CompanyosTools.run()
