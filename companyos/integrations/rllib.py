"""Ray's RLlib: the Gymnasium environment under a name that RLlib knows, and modules that play its text.

register()
config = PPOConfig().environment("CompanyOS-v0", env_config={"scenario": "vendor_onboarding"})

A language model plays as a `TextModule`, which reads what `Conversations` gives it. A module whose outputs are numbers
plays through `Choices`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import Space
from ray.rllib.connectors.connector_v2 import ConnectorV2
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.torch import TorchRLModule
from ray.tune.registry import register_env

from .gymnasium import ENVIRONMENT, GymEnv
from .gymnasium_vector import GymVectorEnv

#: What one side of a conversation said: `role` and `content`.
Message = Mapping[str, str]


def register(name: str = ENVIRONMENT) -> None:
    """Let RLlib make environments by this name. Each worker makes its own, with a connection of its own.

    Its `env_config` has the arguments of `GymEnv`. A worker on another machine needs `base_url`, and the token in
    COMPANYOS_TRAINER_TOKEN, if the stack asks for one.
    """
    register_env(name, made)


def made(env_config: Mapping[str, Any]) -> GymEnv | GymVectorEnv:
    """Return a new environment; one of many episodes where RLlib asks for a number of them (`vector_entry_point`).

    What else RLlib adds to a configuration, such as the worker's number, is no entry of it.
    """
    options = dict(env_config)
    return GymVectorEnv(**options) if "num_envs" in options else GymEnv(**options)


@dataclass(frozen=True)
class Conversation:
    """An episode so far. One object and not a list, because RLlib puts what a module reads into arrays.

    Attributes:
        messages: What the environment showed (`user`) and what the module said (`assistant`), in turn.
        is_over: Whether the episode is done, so that nothing is left to say.
    """

    messages: Sequence[Message]
    is_over: bool


class Conversations(ConnectorV2):
    """Gives a module whole episodes instead of the latest observation; a piece of the env-to-module pipeline.

    RLlib cuts episodes that it samples by steps, and forgets what was before the cut. Sample whole episodes:
    `batch_mode="complete_episodes"`.
    """

    def __init__(
        self,
        input_observation_space: Space[Any] | None = None,
        input_action_space: Space[Any] | None = None,
        *,
        system: str = "",
    ) -> None:
        """Configure what every conversation begins with; the two spaces are RLlib's.

        Args:
            input_observation_space: The space of the observations.
            input_action_space: The space of the actions.
            system: A message that precedes the task, for example with the tools; none by default.
        """
        super().__init__(input_observation_space, input_action_space)
        self._opening = [{"role": "system", "content": system}] if system else []

    def __call__(self, *, batch: dict[str, Any], episodes: Sequence[Any], **_: Any) -> dict[str, Any]:
        """Return the batch with a conversation for each episode as the module's observations."""
        for episode in episodes:
            conversation = Conversation([*self._opening, *_messages(episode)], episode.is_done)
            self.add_batch_item(batch, Columns.OBS, conversation, episode)
        return batch


class TextModule(TorchRLModule):
    """A policy that reads conversations and acts by what it says. RLlib plays it and does not train it.

    Set up the model in `setup`, from `self.model_config`.
    """

    @abstractmethod
    def answers(self, conversations: Sequence[Sequence[Message]]) -> Sequence[str]:
        """Return what to say next in each of the conversations: one call as JSON, or other text a model said."""

    def _forward(self, batch: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        shown = batch[Columns.OBS]
        asked = [each.messages for each in shown if not each.is_over]
        answers = iter(self.answers(asked) if asked else ())
        said = ["" if each.is_over else next(answers) for each in shown]
        return {Columns.ACTIONS: np.array(said, dtype=object)}


class Choices(ConnectorV2):
    """Says a text for each number that a module chose; a piece of the module-to-env pipeline.

    Episodes keep the numbers, so that learners see them. The module's `action_space` is `Discrete(len(texts))`, and
    the environment's configuration has `normalize_actions=False`, without which RLlib sends it the numbers.
    """

    def __init__(
        self,
        input_observation_space: Space[Any] | None = None,
        input_action_space: Space[Any] | None = None,
        *,
        texts: Sequence[str],
    ) -> None:
        """Configure what there is to say, in the order of the numbers; the two spaces are RLlib's."""
        super().__init__(input_observation_space, input_action_space)
        self._texts = tuple(texts)

    def __call__(self, *, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Return the batch with the texts as the actions for the environment."""
        batch[Columns.ACTIONS_FOR_ENV] = {
            episode: [self._texts[int(number)] for number in numbers]
            for episode, numbers in batch[Columns.ACTIONS].items()
        }
        return batch


def _messages(episode: Any) -> list[Message]:
    brief, *observations = episode.get_observations()
    messages: list[Message] = [{"role": "user", "content": str(brief)}]
    for action, observation in zip(episode.get_actions(), observations, strict=True):
        messages.append({"role": "assistant", "content": str(action)})
        messages.append({"role": "user", "content": str(observation)})
    return messages
