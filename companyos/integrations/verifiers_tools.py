"""verifiers: the MCP server that provides the tools of episodes for all rollouts. verifiers runs this module."""

from __future__ import annotations

from asyncio import Lock
from typing import Any
from weakref import WeakValueDictionary

import verifiers.v1 as vf

from companyos.client import AsyncCompanyosEnv

from .connection import connect, stack_of
from .functions import coroutine_of


class RolloutState(vf.State):
    """The state of a rollout that the tools and the task share."""

    episode_id: str = ""


class ToolsConfig(vf.SharedToolsetConfig):
    """The configuration of the tool server, which offers the tools of an episode with these reset options."""

    base_url: str | None = None
    headers: dict[str, str] | None = None
    reset: dict[str, Any] = {}  # noqa: RUF012 - a field of a model


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


if __name__ == "__main__":
    CompanyosTools.run()
