"""Gymnasium: `CompanyOS-v0`, one episode at a time, and a vector environment that steps many in one request.

    env = gymnasium.make("companyos.integrations.gymnasium:CompanyOS-v0", scenario="vendor_onboarding")

Observations and actions are text: an action is the output of a language model, for example a call as JSON. With
`door="screenshot"`, an observation has a picture of a page beside its text.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import gymnasium as gym

from companyos.client import Result

from .connection import REWARDS, EpisodeInvalid, connect, reset_of, settle
from .gymnasium_arguments import seed_of
from .screenshots import observation_space, rgb_of
from .text_space import TextSpace

ENVIRONMENT: Final = "CompanyOS-v0"
#: Sample actions for the action space, which does not know the tools yet.
ACTIONS: Final = tuple(
    f'{{"tool_name": "wait", "arguments": {{"seconds": {60 * n}}}}}' for n in (1, 5, 15, 60)
)
#: Tasks are drawn from seeds below this.
SEEDS: Final = 2**31


class GymEnv(gym.Env[Any, Any]):
    """Episodes of one stack. `info` holds facts for the trainer only: `success`, `reward_breakdown`, …

    An episode that is left early, by `reset` or `close`, ends as one that the agent ended without success.

    Attributes:
        result: The result of the latest reset or step, with the observation's data and the tools; after `close`, the
            last result of an episode that was left early.
    """

    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012 - declared so by Gymnasium

    def __init__(
        self,
        base_url: str | None = None,
        render_mode: str | None = None,
        *,
        headers: Mapping[str, str] | None = None,
        door: str = "tools",
        **options: Any,
    ) -> None:
        """Configure the episodes.

        Args:
            base_url: URL of the trainer API; by default the stack on this machine, which is started if necessary.
            render_mode: `ansi`, or None.
            headers: Headers of every request, for a proxy in front of the server.
            door: `tools`; or `text`: observations are pages as text, and actions those of a browser, as `click(3)`;
                or `screenshot`: observations have `text` and an RGB array `screenshot`, and an action is, for
                example, `mouse_click(640, 300)`.
            options: Options of each reset, for example `scenario` and `chaos`. `rewards` defaults to `drill`.
        """
        self.render_mode = render_mode
        self._has_pictures = door == "screenshot"
        self.action_space = TextSpace(ACTIONS)
        self.observation_space = observation_space(has_pictures=self._has_pictures)
        self.result: Result | None = None
        self._options = options
        self._env = connect(base_url, headers, door=door)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start an episode; `options` override those of the constructor. Without a seed, draws a task.

        If an episode was left early, `info["abandoned"]` holds the facts of its end, among them `episode_return`.
        """
        seed = None if seed is None else seed_of(seed)
        super().reset(seed=seed)
        task = int(self.np_random.integers(SEEDS)) if seed is None else seed
        left = settle(self._env, self.result)
        drawn = {"seed": task, "rewards": REWARDS}
        self.result = self._env.reset(**reset_of(drawn, self._options, options or {}))
        return self._observe(self.result), {**info_of(self.result), **abandoned(left)}

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play a model's output: a call as JSON or a dictionary, a chat library's tool call, or plain text.

        Raises:
            EpisodeInvalid: The environment failed; discard the episode.
        """
        self.result = self._env.step(action)
        return (self._observe(self.result), *outcome_of(self.result), info_of(self.result))

    def snapshot(self) -> str:
        """Save the state of the episode, and return the id for `reset(options={"snapshot": id})`."""
        return self._env.snapshot()

    def render(self) -> Any:
        """Return the company as text, or None unless the render mode is `ansi`."""
        return self._env.render("text") if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Close the connection; an episode that is not done is ended."""
        self.result = settle(self._env, self.result) or self.result
        self._env.close()

    def _observe(self, result: Result) -> Any:
        text = result.observation.text
        return (
            {"text": text, "screenshot": rgb_of(result.observation["screen"])} if self._has_pictures else text
        )


def outcome_of(result: Result) -> tuple[float, bool, bool]:
    """Return the reward, whether the episode is terminated, and whether it is truncated."""
    metadata = result.metadata
    if metadata.get("invalid"):
        raise EpisodeInvalid("the environment failed during this episode; discard it")
    return result.reward or 0.0, bool(metadata.get("terminated")), bool(metadata.get("truncated"))


def info_of(result: Result) -> dict[str, Any]:
    """Return the facts for the trainer, without ids, so equal episodes give equal results."""
    names = ("success", "episode_return", "reward_breakdown", "trace_hash")
    return {name: result.metadata[name] for name in names if name in result.metadata}


def abandoned(last: Result | None) -> dict[str, Any]:
    """Return what the info of a reset says of the end of an episode that was left early; nothing if none was."""
    return {} if last is None else {"abandoned": info_of(last)}


gym.register(
    ENVIRONMENT,
    entry_point=f"{__name__}:GymEnv",
    vector_entry_point=f"{__name__}_vector:GymVectorEnv",
    disable_env_checker=True,
)
