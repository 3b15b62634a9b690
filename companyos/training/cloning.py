"""Behavior cloning: the policy learns to repeat the calls of the oracles, which play live."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from companyos.client.batch import CompanyosBatch
from companyos.evaluation.runs.progress import duration

from .config import CloningConfig
from .demonstrations import learn_vocabulary
from .measures import Example, examples_of, imitation, whole_episodes
from .policy import PointerPolicy
from .rollouts import play_oracle
from .run_folder import RunFolder, Say, policy_parts, restore_policy

#: The longest gradient that an update follows.
GRADIENT_NORM = 1.0


def clone(config: CloningConfig, batch: CompanyosBatch, say: Say) -> None:
    """Train a policy, or go on with a training that was interrupted; its folder then holds curve and checkpoint."""
    torch.manual_seed(config.seed)
    folder = RunFolder(config.out)
    saved = folder.load()
    shown = play_oracle(batch, config.training_options(config.demonstrations))
    held_out = play_oracle(batch, config.held_out_options())
    vocabulary = learn_vocabulary(shown)
    training, reach = examples_of(shown, vocabulary)
    testing, _ = examples_of(held_out, vocabulary)
    say(f"{len(training)} calls to learn from, {reach.share:.1%} of the oracles'; {len(testing)} held out")
    trainer = _Trainer(config, training)
    if saved:
        trainer.policy, vocabulary = restore_policy(saved)
        trainer.resume(saved)
    began, first = time.monotonic(), trainer.update
    while trainer.update < config.updates:
        loss = trainer.step()
        if trainer.update % config.evaluate_every and trainer.update < config.updates:
            continue
        metrics = {"loss": loss, **imitation(trainer.policy, testing)}
        if trainer.update % config.play_every == 0 or trainer.update == config.updates:
            metrics |= whole_episodes(trainer.policy, vocabulary, batch, config.held_out_options())
        folder.record(trainer.update, metrics)
        folder.save(**trainer.parts(), **policy_parts(trainer.policy, vocabulary))
        pace = (time.monotonic() - began) / (trainer.update - first)
        say(_line(trainer.update, config.updates, metrics, pace))


class _Trainer:
    """The policy with its optimizer and the order of its examples."""

    def __init__(self, config: CloningConfig, examples: Sequence[Example]) -> None:
        self._config = config
        self._examples = examples
        self._generator = torch.Generator().manual_seed(config.seed)
        self.update = 0
        self.policy = PointerPolicy(config.width, config.rounds)
        self._prepare()

    def resume(self, saved: Mapping[str, Any]) -> None:
        """Go on with the policy that was restored."""
        self._prepare()
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
        some = [self._examples[number] for number in picked.tolist()]
        _, likelihood, _ = self.policy.log_probabilities(
            [each.state for each in some], [each.slots for each in some], [each.chosen for each in some]
        )
        loss = -likelihood.sum(1).mean()
        self._optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.policy.parameters(), GRADIENT_NORM)
        self._optimizer.step()
        self._schedule.step()
        self.update += 1
        return float(loss.detach())

    def _prepare(self) -> None:
        rate, updates = self._config.learning_rate, self._config.updates
        self._optimizer = torch.optim.Adam(self.policy.parameters(), rate)
        self._schedule = torch.optim.lr_scheduler.OneCycleLR(
            self._optimizer, rate, total_steps=updates + 1, pct_start=0.1
        )


def _line(update: int, updates: int, metrics: Mapping[str, Any], pace_s: float) -> str:
    """Return the progress in one line."""
    names = ("right_service", "right_call", "success", "invalid_calls")
    shares = [f"{name.replace('_', ' ')} {metrics[name]:.1%}" for name in names if name in metrics]
    left = f"{duration(pace_s * (updates - update))} left"
    return ", ".join([f"update {update}/{updates}", f"loss {metrics['loss']:.3f}", *shares, left])
