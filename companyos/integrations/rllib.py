"""Ray RLlib: registers the Gymnasium environment, and provides modules and connectors that play its text.

register()
config = PPOConfig().environment("CompanyOS-v0", env_config={"scenario": "vendor_onboarding"})

A language model plays as a `TextModule` behind the connector `Conversations`. A module with discrete actions plays
through the connector `Choices`.
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

#: One chat message: `role` and `content`.
Message = Mapping[str, str]


def register(name: str = ENVIRONMENT) -> None:
    """Register the environment with RLlib. Each worker creates its own, with its own connection.

    The `env_config` takes the arguments of `GymEnv`. A worker on another machine needs `base_url` and, if the
    stack requires a token, COMPANYOS_TRAINER_TOKEN.
    """
    register_env(name, made)


def made(env_config: Mapping[str, Any]) -> GymEnv | GymVectorEnv:
    """Return a new environment, or a vector environment if RLlib asks for `num_envs` (`vector_entry_point`).

    Ignores what else RLlib adds to the configuration, such as a worker index.
    """
    options = dict(env_config)
    return GymVectorEnv(**options) if "num_envs" in options else GymEnv(**options)


@dataclass(frozen=True)
class Conversation:
    """An episode so far. It is an object and not a list, because RLlib converts lists to arrays.

    Attributes:
        messages: Observations (`user`) and answers of the module (`assistant`), alternating.
        is_over: Whether the episode is done, so that no answer is needed.
    """

    messages: Sequence[Message]
    is_over: bool


class Conversations(ConnectorV2):
    """An env-to-module connector that gives the module whole episodes instead of the latest observation.

    Sample whole episodes (`batch_mode="complete_episodes"`): if RLlib truncates an episode, the module sees only what
    came after the cut.
    """

    def __init__(
        self,
        input_observation_space: Space[Any] | None = None,
        input_action_space: Space[Any] | None = None,
        *,
        system: str = "",
    ) -> None:
        """Set the system message of every conversation; RLlib passes the two spaces.

        Args:
            input_observation_space: The space of the observations.
            input_action_space: The space of the actions.
            system: The system message, for example a list of the tools; none if empty.
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
    """A policy that answers conversations with text. RLlib plays it but does not train it.

    Load the model in `setup`, from `self.model_config`.
    """

    @abstractmethod
    def answers(self, conversations: Sequence[Sequence[Message]]) -> Sequence[str]:
        """Return the next answer for each conversation: a call as JSON, or any other text from a model."""

    def _forward(self, batch: Mapping[str, Any], **_: Any) -> dict[str, Any]:
        shown = batch[Columns.OBS]
        asked = [each.messages for each in shown if not each.is_over]
        answers = iter(self.answers(asked) if asked else ())
        actions = ["" if each.is_over else next(answers) for each in shown]
        return {Columns.ACTIONS: np.array(actions, dtype=object)}


class Choices(ConnectorV2):
    """A module-to-env connector that translates discrete actions to text.

    Episodes keep the discrete actions for the learners. Set the module's `action_space` to `Discrete(len(texts))`,
    and `normalize_actions=False` in the environment's configuration; otherwise RLlib sends the numbers.
    """

    def __init__(
        self,
        input_observation_space: Space[Any] | None = None,
        input_action_space: Space[Any] | None = None,
        *,
        texts: Sequence[str],
    ) -> None:
        """Set the text of each action, in order; RLlib passes the two spaces."""
        super().__init__(input_observation_space, input_action_space)
        self._texts = tuple(texts)

    def __call__(self, *, batch: dict[str, Any], **_: Any) -> dict[str, Any]:
        """Return the batch with texts as the environment's actions."""
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
