"""The configuration of a training run: a TOML file in which everything but `out` has a default."""

import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal, TypeVar

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    NonNegativeFloat,
    NonNegativeInt,
    PositiveFloat,
    PositiveInt,
    model_validator,
)

from companyos.sdk.splits import SEEDS, Split


class LanguageSettings(BaseModel):
    """What a policy over a language model needs.

    Attributes:
        model: Name or folder of a causal model of Hugging Face; without one the policy is the pointer policy.
        lora_rank: Rank of the adapters of all linear layers, which are trained alone; 0 trains the model itself.
        train_layers: How many layers are trained, the last ones; 0 is all.
        exchanges: How many of the latest calls a prompt has, each with its result.
        shows_tools: Whether a prompt lists the tools; a model that is trained on one family learns them.
        call_tokens: The most tokens of a call.
        at_once: Calls that the model writes or scores together.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    model: str | None = None
    lora_rank: NonNegativeInt = 0
    train_layers: NonNegativeInt = 0
    exchanges: PositiveInt = 8
    shows_tools: bool = True
    call_tokens: PositiveInt = 200
    at_once: PositiveInt = 4


class TrainingConfig(LanguageSettings):
    """What every kind of training needs.

    Attributes:
        out: Folder of the run; a run that was interrupted goes on there.
        scenarios: Families to train on.
        chaos: Chaos level.
        held_out: How many seeds of each family measure the policy, pairs together; the split `validation` has them.
        held_out_scenarios: Families that only measure it.
        seed: Of everything that is drawn in training.
        updates: How often the policy is changed.
        learning_rate: Of Adam; cloning rises to it and falls to zero.
        evaluate_every: Updates between two evaluations and checkpoints.
        episodes_at_once: Episodes that advance together.
        rungs: Where in the oracle's solution episodes start, as its needed calls that are left, in the order in which
            they are opened; 0 is the whole episode.
    """

    out: Path
    scenarios: tuple[str, ...] = ("vendor_onboarding",)
    chaos: int = 0
    held_out: PositiveInt = 20
    held_out_scenarios: tuple[str, ...] = ()
    seed: int = 0
    updates: PositiveInt = 1200
    learning_rate: PositiveFloat = 1e-3
    evaluate_every: PositiveInt = 100
    episodes_at_once: PositiveInt = 16
    rungs: Annotated[tuple[NonNegativeInt, ...], Field(min_length=1)] = (0,)

    @property
    def language(self) -> LanguageSettings:
        """The settings of the language model."""
        return LanguageSettings(**{name: getattr(self, name) for name in LanguageSettings.model_fields})

    def training_options(self, count: int, first: int = 0) -> list[dict[str, object]]:
        """Return the reset options of the seeds from `first` of each family, in the split `train`."""
        return self._options(self.scenarios, SEEDS[Split.TRAIN][first : first + count])

    def held_out_options(self) -> list[dict[str, object]]:
        """Return the reset options of the held-out seeds."""
        return self._options(self.scenarios, SEEDS[Split.VALIDATION][: self.held_out])

    def untrained_options(self) -> list[dict[str, object]]:
        """Return the reset options of the held-out seeds of the held-out families."""
        return self._options(self.held_out_scenarios, SEEDS[Split.VALIDATION][: self.held_out])

    def _options(self, scenarios: Sequence[str], seeds: range) -> list[dict[str, object]]:
        fixed = {"chaos": self.chaos, "rewards": "drill", "tools": "scenario"}
        return [{"scenario": name, "seed": seed, **fixed} for name in scenarios for seed in seeds]


class CloningConfig(TrainingConfig):
    """Behavior cloning of the oracles.

    Attributes:
        demonstrations: How many seeds of each family the oracle plays.
        batch: Calls in each update.
        width: Size of the policy's vectors.
        rounds: How often occurrences of values hear from related ones.
        play_every: Updates between two evaluations in which the policy plays whole episodes.
    """

    demonstrations: PositiveInt = 60
    batch: PositiveInt = 16
    width: PositiveInt = 64
    rounds: PositiveInt = 2
    play_every: PositiveInt = 600


class ReinforcementConfig(TrainingConfig):
    """Group-relative reinforcement learning of whole episodes.

    Attributes:
        start: Folder of the run that trained the policy to begin with; without one, `model` is.
        groups: Seeds in each update.
        group: Episodes of each seed.
        seeds: How many training seeds of each family are drawn from.
        first_seed: The first of them; set it behind the demonstrations' to train on new ones.
        credit: What a call is credited with: the return of the `episode`, the `reward_to_go` from it, or by `fork`,
            whether the oracle had less to do after the call than before it. With `labels` nothing is credited: the
            oracle's call is imitated at every state that the policy reaches.
        keep: How strongly the policy is held near the one that it begins with: a choice that is this much better than
            others becomes e times as likely. Labels do not need it, and 0 lets it go.
        epochs: How often the calls of an update are gone through.
        batch: Calls in each step along the gradient; returns blame calls at random, and want many.
    """

    start: Path | None = None
    groups: PositiveInt = 4
    group: PositiveInt = 8
    seeds: PositiveInt = 200
    first_seed: int = 0
    credit: Literal["episode", "reward_to_go", "fork", "labels"] = "episode"
    keep: NonNegativeFloat = 0.1
    epochs: PositiveInt = 4
    batch: PositiveInt = 32
    updates: PositiveInt = 60
    learning_rate: PositiveFloat = 1e-4
    evaluate_every: PositiveInt = 10

    @model_validator(mode="after")
    def _begins_with_one_policy(self) -> "ReinforcementConfig":
        if (self.start is None) == (self.model is None):
            raise ValueError("either `start` or `model` names the policy to begin with")
        return self


Config = TypeVar("Config", bound=TrainingConfig)


def load_config(kind: type[Config], file: Path) -> Config:
    """Read a configuration.

    Raises:
        OSError: The file cannot be read.
        ValueError: It is no TOML, or a setting is unknown or wrong.
    """
    return kind.model_validate(tomllib.loads(file.read_text(encoding="utf-8-sig")))
