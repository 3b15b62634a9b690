"""Behavior cloning: the policy learns to repeat the calls of the oracles, which play live."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from companyos.client.batch import CompanyosBatch
from companyos.evaluation.runs.progress import duration

from .config import CloningConfig
from .interface import Decision, Policy
from .measures import held_out_play, imitation
from .optimization import ascend
from .policies import new_policy, restored_policy
from .rollouts import Rollout, play_oracle
from .run_folder import RunFolder, Say
from .rungs import RungStarts


def clone(config: CloningConfig, batch: CompanyosBatch, say: Say) -> None:
    """Train a policy, or go on with a training that was interrupted; its folder then holds curve and checkpoint."""
    torch.manual_seed(config.seed)
    folder = RunFolder(config.out)
    saved = folder.resume()
    policy = restored_policy(saved) if saved else new_policy(config)
    starts = RungStarts(batch, config.rungs)
    tasks = [{**task, **policy.formats} for task in config.held_out_options()]
    shown_tasks = [{**task, **policy.formats} for task in config.training_options(config.demonstrations)]
    shown, held_out = (play_oracle(batch, starts.of_all(some)) for some in (shown_tasks, tasks))
    policy.prepare(shown)
    training, testing = _demonstrated(policy, shown), _demonstrated(policy, held_out)
    reach = len(training) / max(sum(len(one.turns) for one in shown), 1)
    say(f"{len(training)} calls to learn from, {reach:.1%} of the oracles'; {len(testing)} held out")
    trainer = _Trainer(config, policy, training)
    if saved:
        trainer.resume(saved)
    began, first = time.monotonic(), trainer.update
    while trainer.update < config.updates:
        loss = trainer.step()
        if trainer.update % config.evaluate_every and trainer.update < config.updates:
            continue
        metrics = {"loss": loss, **imitation(policy, testing)}
        if trainer.update % config.play_every == 0 or trainer.update == config.updates:
            metrics |= held_out_play(config, policy, batch, starts)
        folder.record(trainer.update, metrics)
        folder.save(**trainer.parts(), **policy.parts())
        pace = (time.monotonic() - began) / (trainer.update - first)
        say(_line(trainer.update, config.updates, metrics, pace))


def _demonstrated(policy: Policy, episodes: Sequence[Rollout]) -> list[Decision]:
    """Return the calls of episodes that the policy can choose."""
    return [
        decision
        for episode in episodes
        for decision in policy.decisions(
            episode, {number: turn.action for number, turn in enumerate(episode.turns)}
        ).values()
    ]


class _Trainer:
    """The policy with its optimizer and the order of its examples."""

    def __init__(self, config: CloningConfig, policy: Policy, examples: Sequence[Decision]) -> None:
        self._config = config
        self._policy = policy
        self._examples = examples
        self._generator = torch.Generator().manual_seed(config.seed)
        self.update = 0
        rate = config.learning_rate
        self._optimizer = torch.optim.Adam(policy.parameters(), rate)
        self._schedule = torch.optim.lr_scheduler.OneCycleLR(
            self._optimizer, rate, total_steps=config.updates + 1, pct_start=0.1
        )

    def resume(self, saved: Mapping[str, Any]) -> None:
        """Go on where a checkpoint was saved."""
        self._optimizer.load_state_dict(saved["optimizer"])
        self._schedule.load_state_dict(saved["schedule"])
        self._generator.set_state(saved["generator"])
        self.update = saved["update"]

    def parts(self) -> dict[str, Any]:
        """Return what `resume` needs."""
        return {
            "update": self.update,
            "optimizer": self._optimizer.state_dict(),
            "schedule": self._schedule.state_dict(),
            "generator": self._generator.get_state(),
        }

    def step(self) -> float:
        """Update the policy once and return the loss: minus the log-likelihood of a call."""
        picked = torch.randint(len(self._examples), (self._config.batch,), generator=self._generator)
        numbers: list[int] = picked.tolist()
        reached = ascend(
            self._policy, self._optimizer, self._examples, numbers, lambda likelihood, _: likelihood.sum(1)
        )
        self._schedule.step()
        self.update += 1
        return -reached


def _line(update: int, updates: int, metrics: Mapping[str, Any], pace_s: float) -> str:
    """Return the progress in one line."""
    names = ("right_service", "right_call", "success", "invalid_calls")
    shares = [f"{name.replace('_', ' ')} {metrics[name]:.1%}" for name in names if name in metrics]
    left = f"{duration(pace_s * (updates - update))} left"
    return ", ".join([f"update {update}/{updates}", f"loss {metrics['loss']:.3f}", *shares, left])
