"""OpenEnv's harness API, which TRL's AsyncGRPO uses: a factory of sessions, one per episode.

worker = HarnessRolloutWorker(harness_session_factory=partial(SessionFactory, scenario="vendor_onboarding"), ...)
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from openenv.core.env_server.mcp_types import Tool
from openenv.core.harness import ResourceSession, ResourceSessionFactory, ToolResult, VerifyResult

from companyos.client import CompanyosEnv, CompanyosError, Result

from .connection import REWARDS, EpisodeInvalid, connect, final_result, options_in, reset_of, return_of


class EpisodeSession(ResourceSession):
    """One episode over one connection.

    Attributes:
        result: The result of the latest call, initially that of the reset.
    """

    def __init__(self, env: CompanyosEnv, prompt: str, **options: Any) -> None:
        """Start the episode.

        Args:
            env: A client that no other session uses.
            prompt: Text before the first observation; may be empty.
            options: Options of the reset.
        """
        self._env = env
        self._prompt = prompt
        self._first = self.result = env.reset(**options)

    def initial_messages(self) -> list[dict[str, Any]]:
        """Return the task as one message."""
        text = "\n\n".join(filter(None, [self._prompt, self._first.observation.text]))
        return [{"role": "user", "content": text}]

    def list_tools(self) -> list[Tool]:
        """Return the tools that the agent is given."""
        fields = ("name", "description", "input_schema")
        return [Tool(**{name: tool[name] for name in fields}) for tool in self._first.observation["tools"]]

    def call_tool(self, name: str, arguments: dict[str, Any]) -> ToolResult:
        """Play a tool call; `data` is the observation as text, `error` says why the call was refused.

        Raises:
            CompanyosError: The environment failed; TRL then excludes the episode.
        """
        if self.result.done:
            return ToolResult(data="The task has ended.", done=True, error="The task has ended.")
        self.result = self._env.call(name, **arguments)
        observation = self.result.observation
        error = observation.error and observation.error["message"]
        return ToolResult(data=observation.text, done=self.result.done, error=error)

    def verify(self, transcript: list[dict[str, Any]], final_state: Any | None = None) -> VerifyResult:
        """Return the sum of the rewards, or None (do not score) if the environment failed.

        An episode that is not over is ended first.
        """
        with suppress(CompanyosError):
            self.result = final_result(self._env, self.result)
        return VerifyResult(
            env_reward=_reward(self.result),
            done=self.result.done,
            metrics={
                "success": bool(self.result.metadata.get("success")),
                "steps": self.result.observation.step,
            },
            artifacts={"episode_id": self._env.episode_id},
        )

    def close(self) -> None:
        """Close the connection and, unless it is done, the episode."""
        try:
            self._env.close()
        except CompanyosError:
            # The server deletes abandoned episodes by itself.
            pass


class SessionFactory(ResourceSessionFactory[EpisodeSession]):
    """Makes sessions. TRL passes the group number as the seed; equal seeds give equal tasks on any worker."""

    def __init__(
        self,
        base_url: str | None = None,
        *,
        first_seed: int = 0,
        headers: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        """Configure the sessions.

        Args:
            base_url: URL of the trainer API; by default the stack on this machine, which is started if necessary.
            first_seed: Seed of the first group.
            headers: Headers of every request, for a proxy in front of the server.
            options: Options of each reset, for example `scenario` and `chaos`. `rewards` defaults to
                `drill`.
        """
        self._base_url = base_url
        self._headers = headers
        self._first_seed = first_seed
        self._options: Mapping[str, Any] = {"rewards": REWARDS, **options}

    def create(self, task: Any, seed: int | None = None, episode_id: str | None = None) -> EpisodeSession:
        """Start an episode.

        Args:
            task: A row's prompt, as text or messages, or a whole row, whose columns are options of the reset.
            seed: Number of the group. The task's seed is `first_seed` plus this number.
            episode_id: Id of the new episode.
        """
        row = task if isinstance(task, Mapping) else {"prompt": task}
        group = {"seed": self._first_seed + (seed or 0)}
        options = reset_of(self._options, group, options_in(row))
        named = {} if episode_id is None else {"episode_id": episode_id}
        return EpisodeSession(
            connect(self._base_url, self._headers), _text(row.get("prompt")), **options, **named
        )


def _text(prompt: Any) -> str:
    """Return a prompt as text; for messages, their contents."""
    if isinstance(prompt, list):
        return "\n\n".join(_text(message["content"]) for message in prompt)
    return prompt or ""


def _reward(result: Result) -> float | None:
    try:
        return return_of(result) if result.done else None
    except EpisodeInvalid:
        return None
