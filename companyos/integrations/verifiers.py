"""verifiers: a taskset whose tasks are episodes. One MCP server provides the tools for all rollouts.

verifiers finds a taskset by the name of an installed module that exports it:

    from companyos.integrations.verifiers import CompanyosTaskset
    __all__ = ["CompanyosTaskset"]
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import verifiers.v1 as vf

from companyos.sdk.scenario import call, find

from .connection import REWARDS, connect, connect_async, reset_of
from .verifiers_tools import CompanyosTools, RolloutState, ToolsConfig


class EpisodeData(vf.TaskData):
    """A row: the options of the reset, with the task as its prompt."""

    base_url: str | None = None
    headers: dict[str, str] | None = None
    reset: dict[str, Any]


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
    rewards: str = REWARDS
    snapshot: str | None = None

    def reset(self, index: int = 0) -> dict[str, Any]:
        """Return the options of a task's reset."""
        seed = self.first_seed + index
        task = {"scenario": self.scenario, "seed": seed, "chaos": self.chaos, "rewards": self.rewards}
        return reset_of(task, {"snapshot": self.snapshot})


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
        """Return the sum of the episode's rewards; an episode that is not over is ended first.

        Raises:
            TaskError: The environment failed, so the rollout must not be scored.
        """
        async with await connect_async(self.data.base_url, self.data.headers) as env:
            state = await env.attach(trace.state.episode_id)
            if not state.done:
                await env.abandon()
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
