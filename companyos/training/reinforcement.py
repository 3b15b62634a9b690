"""Group-relative reinforcement learning of whole episodes: several episodes of one seed are compared."""

import time
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, Final

import torch

from companyos.client.batch import CompanyosBatch
from companyos.evaluation.runs.progress import duration

from .cloning import GRADIENT_NORM
from .config import ReinforcementConfig
from .credit import fork_advantages, group_advantages
from .forks import Advice, Snapshots, progress, state_of
from .measures import summary, whole_episodes
from .player import Decision, Player, as_decision
from .rollouts import Act, Rollout, play
from .run_folder import RunFolder, Say, policy_parts, restore_policy
from .rungs import Rungs

_AT_ONCE: Final = 32


def reinforce(config: ReinforcementConfig, batch: CompanyosBatch, say: Say) -> None:
    """Train the policy of an earlier run, or go on with a training that was interrupted.

    Raises:
        FileNotFoundError: The run to begin with has no checkpoint.
    """
    folder = RunFolder(config.out)
    saved = folder.load()
    parts = saved or RunFolder(config.start).load()
    if parts is None:
        raise FileNotFoundError(f"{config.start} holds no checkpoint to begin with")
    trainer = _Trainer(config, batch, parts)
    if saved:
        trainer.resume(saved)
    else:
        _measure(trainer, config, folder, {})
    began, first = time.monotonic(), trainer.update
    while trainer.update < config.updates:
        metrics = trainer.step()
        pace = (time.monotonic() - began) / (trainer.update - first)
        left = duration(pace * (config.updates - trainer.update))
        say(
            f"update {trainer.update}/{config.updates}, training success {metrics['train_success']:.1%}, {left} left"
        )
        if trainer.update % config.evaluate_every == 0 or trainer.update == config.updates:
            measured = _measure(trainer, config, folder, metrics)
            low, high = measured["success_low"], measured["success_high"]
            say(f"held-out success {measured['success']:.1%} ({low:.1%}-{high:.1%})")
        else:
            folder.record(trainer.update, metrics)


def _measure(
    trainer: "_Trainer", config: ReinforcementConfig, folder: RunFolder, metrics: Mapping[str, Any]
) -> dict[str, Any]:
    held_out = whole_episodes(trainer.policy, trainer.vocabulary, trainer.batch, config.held_out_options())
    folder.record(trainer.update, {**metrics, **held_out})
    folder.save(**trainer.parts(), **policy_parts(trainer.policy, trainer.vocabulary))
    return held_out


class _Trainer:
    def __init__(self, config: ReinforcementConfig, batch: CompanyosBatch, parts: Mapping[str, Any]) -> None:
        self._config = config
        self._tasks = config.training_options(config.seeds, config.first_seed)
        self._generator = torch.Generator().manual_seed(config.seed)
        self.batch = batch
        self.update = self.calls = self.asked = 0
        self._rungs = Rungs(config.rungs)
        self.policy, self.vocabulary = restore_policy(parts)
        self._optimizer = torch.optim.Adam(self.policy.parameters(), config.learning_rate)

    def resume(self, saved: Mapping[str, Any]) -> None:
        """Go on where a checkpoint was saved."""
        self._optimizer.load_state_dict(saved["optimizer"])
        self._generator.set_state(saved["generator"])
        self._rungs = self._rungs.restored(saved["rungs"])
        self.update, self.calls, self.asked = saved["update"], saved["calls"], saved["asked"]

    def parts(self) -> dict[str, Any]:
        """Return what `resume` needs."""
        return {
            "update": self.update,
            "calls": self.calls,
            "asked": self.asked,
            "rungs": self._rungs.parts(),
            "optimizer": self._optimizer.state_dict(),
            "generator": self._generator.get_state(),
        }

    def step(self) -> dict[str, Any]:
        """Play groups of episodes, update the policy once, and return the measures of the episodes."""
        player = Player(self.policy, self.vocabulary, self._generator)
        labels: list[tuple[Decision, float]] = []
        if self._config.credit == "fork":
            snapshots = Snapshots(self.batch, player)
            groups = self._play_groups(snapshots)
            credited, labels = self._credit_by_forks(groups, snapshots.ask())
        else:
            groups = self._play_groups(player)
            credited = [group_advantages(group, self._config.credit) if group else [] for group in groups]
        pairs = [
            (decision, advantage)
            for group, rows in zip(groups, credited, strict=True)
            for episode, row in zip(group, rows, strict=True)
            for decision, advantage in zip(player.decisions[id(episode)], row, strict=True)
            if advantage
        ]
        if pairs or labels:
            self._follow([*pairs, *labels])
        self.update += 1
        played = [episode for group in groups for episode in group]
        self.calls += sum(len(episode.turns) for episode in played)
        kept = sum(any(any(row) for row in rows) for rows in credited)
        return {**self._measures(played), "groups_kept": kept / len(groups)}

    def _measures(self, played: Sequence[Rollout]) -> dict[str, Any]:
        measures = summary(played)
        names = ("success", "return", "calls", "invalid_calls")
        trained = {f"train_{name}": measures[name] for name in names if name in measures}
        rung = self._config.rungs[self._rungs.top]
        return {**trained, "rung": rung, "all_calls": self.calls, "all_asked": self.asked}

    def _credit_by_forks(
        self, groups: Sequence[Sequence[Rollout]], advice: Advice
    ) -> tuple[list[list[list[float]]], list[tuple[Decision, float]]]:
        """Return the advantages of each group's calls, and the oracle's calls to imitate, if they are wanted."""
        self.asked += len(advice)
        played = [episode for group in groups for episode in group]
        worth = [progress(episode, advice) for episode in played]
        rows = iter(fork_advantages(worth))
        credited = [[next(rows) for _ in group] for group in groups]
        if not self._config.labels:
            return credited, []
        wrong = {
            state_of(episode, number): (episode, number)
            for episode, row in zip(played, worth, strict=True)
            for number, value in enumerate(row)
            if value is not None and value < 1
        }
        labels = [
            as_decision(advice[state]["action"], episode, number, self.vocabulary)
            for state, (episode, number) in wrong.items()
        ]
        return credited, [(label, 1.0) for label in labels if label]

    def _play_groups(self, player: Act) -> list[list[Rollout]]:
        """Play groups of episodes on drawn rungs, and return those of each group that count."""
        size = self._config.group
        rungs = self._draw_numbers(torch.tensor(self._rungs.weights()))
        tasks = [self._tasks[number] for number in self._draw_numbers(torch.ones(len(self._tasks)))]
        starts = [{**task, **self._rungs.options(rung)} for task, rung in zip(tasks, rungs, strict=True)]
        played = play(self.batch, [options for options in starts for _ in range(size)], player)
        groups = [
            [episode for episode in played[first : first + size] if episode.success is not None]
            for first in range(0, len(played), size)
        ]
        for rung, group in zip(rungs, groups, strict=True):
            if group:
                self._rungs.learn(rung, fmean(bool(episode.success) for episode in group))
        return groups

    def _draw_numbers(self, weights: torch.Tensor) -> list[int]:
        """Draw a number for each group of an update."""
        drawn = torch.multinomial(weights, self._config.groups, replacement=True, generator=self._generator)
        numbers: list[int] = drawn.tolist()
        return numbers

    def _follow(self, pairs: Sequence[tuple[Decision, float]]) -> None:
        """Make the decisions with positive advantage likelier, and those with negative advantage less likely."""
        self._optimizer.zero_grad()
        for first in range(0, len(pairs), _AT_ONCE):
            some = [decision for decision, _ in pairs[first : first + _AT_ONCE]]
            weight = torch.tensor([advantage for _, advantage in pairs[first : first + _AT_ONCE]])
            _, likelihood, _ = self.policy.log_probabilities(
                [each.state for each in some], [each.slots for each in some], [each.chosen for each in some]
            )
            (-(weight * likelihood.sum(1)).sum() / len(pairs)).backward()
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), GRADIENT_NORM)
        self._optimizer.step()
