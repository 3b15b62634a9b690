"""Gymnasium: many episodes that are played together, with one request per step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium.utils.seeding import np_random
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from companyos.client import CompanyosBatch, CompanyosError, Result

from .connection import REWARDS, reset_of, settle_some, stack_of
from .gymnasium import ACTIONS, SEEDS, abandoned, info_of, outcome_of
from .gymnasium_arguments import mask_of, seeds_of
from .text_space import TextSpace, array_of


class GymVectorEnv(VectorEnv[Any, Any, Any]):
    """Episodes that are played together: one request steps all.

    Attributes:
        results: The latest result of each episode; after `close`, its last.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.NEXT_STEP}  # noqa: RUF012 - declared so by Gymnasium

    def __init__(
        self,
        num_envs: int = 1,
        base_url: str | None = None,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        headers: Mapping[str, str] | None = None,
        **options: Any,
    ) -> None:
        """Configure the episodes. Arguments that are not described here are those of `GymEnv`.

        Args:
            num_envs: How many episodes.
            base_url: URL of the trainer API; by default the stack on this machine, which is started if necessary.
            autoreset_mode: Whether a finished episode restarts at the next step (the default), in the same step, or
                not before `reset` with a `reset_mask`.
            headers: Headers of every request, for a proxy in front of the server.
            options: Options of each reset.
        """
        self.num_envs = num_envs
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}
        self.single_observation_space, self.single_action_space = TextSpace(), TextSpace(ACTIONS)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.results: list[Result] = []
        self._options = options
        self._draws = [np_random()[0] for _ in range(num_envs)]
        url, token = stack_of(base_url)
        self._batch = CompanyosBatch(url, num_envs, token=token, headers=headers)

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Start the episodes, all or those of `options["reset_mask"]`, an array of booleans.

        One seed n gives the tasks n, n + 1, …; a sequence gives each its own. Restarts draw the following tasks from
        these seeds, as `GymEnv` does. Without a seed, each task is drawn.

        `options` override those of the constructor, in restarts as well; with a `snapshot`, all episodes begin there.
        """
        seeds = seeds_of(seed, self.num_envs)
        given = dict(options or {})
        mask = mask_of(given.pop("reset_mask", None), self.num_envs)
        if not (self.results or all(mask)):
            raise ValueError("options['reset_mask']: the first reset starts all environments")
        self._options = {**self._options, **given}
        for index, each in enumerate(seeds):
            if mask[index] and each is not None:
                self._draws[index] = np_random(each)[0]
        left = settle_some(self._batch, self.results, mask)
        begun = [
            self._reset_options(index, each) if mask[index] else None for index, each in enumerate(seeds)
        ]
        self._restart(begun)
        return self._texts_and_infos(mask, {index: abandoned(last) for index, last in left.items()})

    def step(self, actions: Sequence[Any]) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """Play one action in each episode, in order. Where a finished episode restarts, its action is ignored.

        Raises:
            EpisodeInvalid: The environment failed in one of the episodes.
            ValueError: An episode is over, and finished episodes do not restart by themselves.
        """
        over = [result.done for result in self.results]
        if self.autoreset_mode is AutoresetMode.DISABLED and any(over):
            raise ValueError(
                f"the environments {np.flatnonzero(over).tolist()} are done: reset them by reset_mask"
            )
        begun = [self._reset_options(index) if done else None for index, done in enumerate(over)]
        played = [None if done else action for done, action in zip(over, actions, strict=True)]
        self.results = self._batch.advance(resets=begun, actions=played)
        rewards, terminated, truncated = zip(*map(outcome_of, self.results), strict=True)
        last = self._restart_finished() if self.autoreset_mode is AutoresetMode.SAME_STEP else {}
        texts, infos = self._texts_and_infos([True] * self.num_envs, last)
        return texts, np.array(rewards), np.array(terminated), np.array(truncated), infos

    def close_extras(self, **_: Any) -> None:
        """Close the connection; the episodes that are not done are ended."""
        left = settle_some(self._batch, self.results, [True] * self.num_envs)
        self.results = [left.get(index, result) for index, result in enumerate(self.results)]
        try:
            self._batch.close()
        except CompanyosError:
            # The server deletes abandoned episodes by itself.
            pass

    def _reset_options(self, index: int, seed: int | None = None) -> dict[str, Any]:
        task = int(self._draws[index].integers(SEEDS)) if seed is None else seed
        return reset_of({"seed": task, "rewards": REWARDS}, self._options)

    def _restart(self, begun: Sequence[Mapping[str, Any] | None]) -> None:
        """Start the episodes whose options are given."""
        results = self._batch.reset(begun)
        kept = self.results or results
        self.results = [new or old for new, old in zip(results, kept, strict=True)]

    def _restart_finished(self) -> dict[int, dict[str, Any]]:
        """Start what is over, and return the last observation and facts of each."""
        over = {index: result for index, result in enumerate(self.results) if result.done}
        if over:
            self._restart(
                [self._reset_options(index) if index in over else None for index in range(self.num_envs)]
            )
        return {
            index: {"final_obs": result.observation.text, "final_info": info_of(result)}
            for index, result in over.items()
        }

    def _texts_and_infos(
        self, shown: Sequence[bool], last: Mapping[int, dict[str, Any]] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        infos: dict[str, Any] = {}
        for index, result in enumerate(self.results):
            if shown[index]:
                infos = self._add_info(infos, {**info_of(result), **(last or {}).get(index, {})}, index)
        texts = [result.observation.text for result in self.results]
        return array_of(self.single_observation_space, texts), infos
