"""SkyRL: a text environment, in which the model writes its calls as `<tool_call>{...}</tool_call>`.

    skyrl_gym.register(id="companyos", entry_point="companyos.integrations.skyrl:SkyrlEnv")

Dataset rows have the `env_class` `companyos` and the options of the reset as further columns.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from skyrl_gym.envs.base_text_env import BaseTextEnv, BaseTextEnvStepOutput, ConversationType

from companyos.client import Result
from companyos.client.formats.text_calls import EXAMPLE, text_call
from companyos.client.plain_values import is_missing

from .connection import (
    REWARDS,
    EpisodeInvalid,
    connect,
    final_result,
    options_in,
    reset_of,
    return_of,
    whole_number,
)

#: Stop strings for the sampling parameters of the generator.
STOP: Final = ("</tool_call>",)
_MOST_TURNS: Final = 1000
_HOW: Final = (
    "Act by calling one tool at a time. A call is a JSON object between tags, and the last thing you write:\n"
    f'<tool_call>{{"name": "{EXAMPLE["tool_name"]}", "arguments": {json.dumps(EXAMPLE["arguments"])}}}</tool_call>'
    "\n\nTools:\n"
)


class SkyrlEnv(BaseTextEnv):
    """One episode. A turn without a call also counts as a step, and its result tells the model so.

    Attributes:
        result: The result of the latest turn, initially that of the reset.
    """

    result: Result

    def __init__(self, env_config: Any = None, extras: Mapping[str, Any] | None = None) -> None:
        """Configure the episode.

        Args:
            env_config: The generator's settings for this environment: `base_url`, by default the stack on this
                machine, `headers` of every request, and options of every reset.
            extras: The columns of the row: options of this reset, and `max_turns`.

        Raises:
            ValueError: `max_turns` is no whole number.
        """
        super().__init__()
        config = dict(env_config or {})
        row = dict(extras or {})
        turns = row.get("max_turns")
        self.max_turns = whole_number(0 if is_missing(turns) else turns, "max_turns") or _MOST_TURNS
        self._options = reset_of({"rewards": REWARDS}, options_in(config), options_in(row))
        self._env = connect(config.get("base_url"), config.get("headers"))

    def init(self, prompt: ConversationType) -> tuple[ConversationType, dict[str, Any]]:
        """Start the episode, and return the prompt together with the tools and the task."""
        self.result = self._env.reset(**self._options)
        offered = self.result.observation["tools"]
        tools = "\n".join(tool.get("signature") or json.dumps(_described(tool)) for tool in offered)
        messages = [
            *prompt,
            {"role": "system", "content": _HOW + tools},
            {"role": "user", "content": self.result.observation.text},
        ]
        return _merged(messages), {"episode_id": self._env.episode_id}

    def step(self, action: str) -> BaseTextEnvStepOutput:
        """Play the call in the model's output; training leaves out what follows the call.

        Raises:
            EpisodeInvalid: The environment failed; discard the episode.
        """
        self.turns += 1
        self.result = self._env.step(action)
        reward = self.result.reward or 0.0
        if self.turns >= self.max_turns and not self.result.done:
            self.result = final_result(self._env, self.result)
            reward += self.result.reward or 0.0
        if self.result.metadata.get("invalid"):
            raise EpisodeInvalid("the environment failed during this episode; discard it")
        return BaseTextEnvStepOutput(
            observations=[{"role": "user", "content": self.result.observation.text}],
            reward=reward,
            done=self.result.done,
            metadata=dict(self.result.metadata),
            postprocessed_action=action[: text_call(action).end],
        )

    def get_metrics(self) -> dict[str, Any]:
        """Return `success` and `episode_return`, which SkyRL averages; an episode that is not over is ended first."""
        self.result = final_result(self._env, self.result)
        return {
            "success": float(bool(self.result.metadata.get("success"))),
            "episode_return": return_of(self.result),
        }

    def close(self) -> None:
        """Close the connection and, unless it is done, the episode."""
        self._env.close()


def _described(tool: Mapping[str, Any]) -> dict[str, Any]:
    """Return a tool in the format of chat templates."""
    function = {"name": tool["name"], "description": tool["description"], "parameters": tool["input_schema"]}
    return {"type": "function", "function": function}


def _merged(messages: ConversationType) -> ConversationType:
    """Merge all system messages into one at the start, because many chat templates accept no other."""
    system = "\n\n".join(message["content"] for message in messages if message["role"] == "system")
    return [{"role": "system", "content": system}, *(each for each in messages if each["role"] != "system")]
