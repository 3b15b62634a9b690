"""Group-relative reinforcement learning of whole episodes: several episodes of one seed are compared."""

import time
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any, Final

import torch

from companyos.client.batch import CompanyosBatch
from companyos.evaluation.runs.progress import duration

from .config import ReinforcementConfig
from .credit import fork_advantages, group_advantages
from .forks import Advice, Snapshots, progress, state_of
from .interface import Decision, Player, Policy
from .measures import held_out_play, summary
from .objective import Anchor, credit_objective
from .optimization import ascend
from .policies import new_policy, restored_policy
from .rollouts import Act, Rollout, play
from .run_folder import RunFolder, Say
from .rungs import Rungs, RungStarts

#: How sure each credit is that a worse call was itself wrong: a fork knows, an episode blames all its calls alike.
_SURE: Final[Mapping[str, float]] = {"episode": 0.01, "reward_to_go": 0.01, "fork": 0.95, "labels": 0.95}


def reinforce(config: ReinforcementConfig, batch: CompanyosBatch, say: Say) -> None:
    """Train the policy of an earlier run, or go on with a training that was interrupted.

    Raises:
        FileNotFoundError: The run to begin with has no checkpoint.
    """
    folder = RunFolder(config.out)
    saved = folder.resume()
    torch.manual_seed(config.seed)
    began_with = RunFolder(config.start).load() if config.start else None
    if began_with is None and config.start:
        raise FileNotFoundError(f"{config.start} holds no checkpoint to begin with")

    def beginner() -> Policy:
        return restored_policy(began_with) if began_with else new_policy(config)

    anchor = Anchor(beginner(), config.keep) if config.keep and config.credit != "labels" else None
    trainer = _Trainer(config, batch, restored_policy(saved) if saved else beginner(), anchor)
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
    """Play the held-out seeds, whole and from each rung, and keep what came of it."""
    measured = held_out_play(config, trainer.policy, trainer.batch, trainer.starts)
    folder.record(trainer.update, {**metrics, **measured})
    folder.save(**trainer.parts(), **trainer.policy.parts())
    return measured


class _Trainer:
    def __init__(
        self, config: ReinforcementConfig, batch: CompanyosBatch, policy: Policy, anchor: Anchor | None
    ) -> None:
        self._config = config
        self._anchor = anchor
        self.policy = policy
        tasks = config.training_options(config.seeds, config.first_seed)
        self._tasks = [{**task, **policy.formats} for task in tasks]
        self._generator = torch.Generator().manual_seed(config.seed)
        self.batch = batch
        self.update = self.calls = self.asked = 0
        self._rungs = Rungs(config.rungs)
        self.starts = RungStarts(batch, config.rungs)
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
        player = self.policy.player(self._generator)
        if self._config.credit in ("fork", "labels"):
            snapshots = Snapshots(self.batch, player)
            groups = self._play_groups(snapshots)
            credited = self._learn_from(snapshots.ask(), groups, player)
            self.asked += snapshots.asked
        else:
            groups = self._play_groups(player)
            credited = [group_advantages(group, self._config.credit) if group else [] for group in groups]
            self._reinforce(groups, credited, player)
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

    def _learn_from(
        self, advice: Advice, groups: Sequence[Sequence[Rollout]], player: Player
    ) -> list[list[list[float]]]:
        """Follow the oracle's answers as labels or as credit, and return the advantages of each group's calls."""
        played = [episode for group in groups for episode in group]
        rows = iter(fork_advantages([progress(episode, advice) for episode in played]))
        credited = [[next(rows) for _ in group] for group in groups]
        if self._config.credit == "labels":
            found = _labels(self.policy, played, advice)
            self._learn(found, [1.0] * len(found))
        else:
            self._reinforce(groups, credited, player)
        return credited

    def _play_groups(self, player: Act) -> list[list[Rollout]]:
        """Play groups of episodes on drawn rungs, and return those of each group that count."""
        size = self._config.group
        rungs = self._draw_numbers(torch.tensor(self._rungs.weights()))
        tasks = [self._tasks[number] for number in self._draw_numbers(torch.ones(len(self._tasks)))]
        starts = self.starts.options(tasks, rungs)
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

    def _reinforce(
        self,
        groups: Sequence[Sequence[Rollout]],
        credited: Sequence[Sequence[Sequence[float]]],
        player: Player,
    ) -> None:
        """Make the calls likelier that were better than others, and those less likely that were worse."""
        pairs = [
            (decision, advantage)
            for group, rows in zip(groups, credited, strict=True)
            for episode, row in zip(group, rows, strict=True)
            for decision, advantage in zip(player.decisions[id(episode)], row, strict=True)
            if advantage or self._anchor
        ]
        self._learn([decision for decision, _ in pairs], [advantage for _, advantage in pairs])

    def _learn(self, decisions: Sequence[Decision], weights: Sequence[float]) -> None:
        """Make calls likelier in proportion to their weights, and less likely if these are negative."""
        objective = credit_objective(decisions, weights, _SURE[self._config.credit], self._anchor)
        for _ in range(self._config.epochs if decisions else 0):
            for picked in torch.randperm(len(decisions), generator=self._generator).split(self._config.batch):
                ascend(self.policy, self._optimizer, decisions, picked.tolist(), objective)


def _labels(policy: Policy, episodes: Sequence[Rollout], advice: Advice) -> list[Decision]:
    """Return the oracle's call at each state of episodes, where it has one that the policy can choose (DAgger).

    A learner that imitates its teacher at the states that it reaches itself learns to come back from its mistakes
    (Ross et al. 2011, arXiv 1011.0686).
    """
    found: dict[bytes, Decision | None] = {}
    for episode in episodes:
        states = {number: state_of(episode, number) for number in range(len(episode.turns))}
        new = {number: state for number, state in states.items() if state not in found}
        actions = {number: advice[state]["action"] for number, state in new.items()}
        decisions = policy.decisions(
            episode, {number: action for number, action in actions.items() if action is not None}
        )
        found |= {state: decisions.get(number) for number, state in new.items()}
    return [decision for decision in found.values() if decision is not None]
