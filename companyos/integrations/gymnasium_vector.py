"""Gymnasium: many episodes that are played together, with one request per step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from companyos.client import CompanyosError, Result
from companyos.client.batch import CompanyosBatch

from .connection import reset_of, stack_of
from .gymnasium import ACTIONS, SEEDS, TextSpace, array_of, info_of, outcome_of


class GymVectorEnv(VectorEnv[Any, Any, Any]):
    """Episodes that are played together: one request steps all. A finished episode restarts at the next step.

    Attributes:
        results: The latest result of each episode.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 - declared so by Gymnasium

    def __init__(self, num_envs: int = 1, base_url: str | None = None, **options: Any) -> None:
        """Configure `num_envs` episodes. The other arguments are those of `GymEnv`."""
        self.num_envs = num_envs
        self.single_observation_space, self.single_action_space = TextSpace(), TextSpace(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.results: list[Result] = []
        self._options = options
        url, token = stack_of(base_url)
        self._batch = CompanyosBatch(url, num_envs, token=token)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start all episodes. One seed n gives the tasks n, n + 1, …; without a seed, draws each task.

        `options` override those of the constructor, in restarts as well; with a `snapshot`, all episodes begin there.
        """
        super().reset(seed=seed if isinstance(seed, int) else None)
        seeds = range(seed, seed + self.num_envs) if isinstance(seed, int) else seed or [None] * self.num_envs
        self._options = {**self._options, **(options or {})}
        self.results = self._batch.reset([self._wanted(each) for each in seeds])
        return self._seen()

    def step(self, actions: Sequence[Any]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play one action in each episode, in order. A finished episode ignores its action and restarts.

        Raises:
            EpisodeInvalid: The environment failed in one of the episodes.
        """
        over = [result.done for result in self.results]
        restarted = [self._wanted(None) if done else None for done in over]
        played = [None if done else action for done, action in zip(over, actions, strict=True)]
        self.results = self._batch.advance(resets=restarted, actions=played)
        texts, infos = self._seen()
        rewards, terminated, truncated = zip(*map(outcome_of, self.results), strict=True)
        return texts, np.array(rewards), np.array(terminated), np.array(truncated), infos

    def close_extras(self, **_: Any) -> None:
        """Close the connection and the episodes that are not done."""
        try:
            self._batch.close()
        except CompanyosError:
            # The server deletes abandoned episodes by itself.
            pass

    def _wanted(self, seed: int | None) -> dict[str, Any]:
        task = int(self.np_random.integers(SEEDS)) if seed is None else seed
        return reset_of({"seed": task}, self._options)

    def _seen(self) -> tuple[Any, dict[str, Any]]:
        infos: dict[str, Any] = {}
        for index, result in enumerate(self.results):
            infos = self._add_info(infos, info_of(result), index)
        texts = [result.observation.text for result in self.results]
        return array_of(self.single_observation_space, texts), infos
