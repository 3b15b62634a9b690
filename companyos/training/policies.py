"""Makes policies: for a new training, and from the checkpoint of another."""

from collections.abc import Mapping
from typing import Any

from .config import CloningConfig, TrainingConfig
from .interface import Policy
from .pointer.policy import PointerPolicy


def new_policy(config: TrainingConfig) -> Policy:
    """Return the policy that a configuration describes, which is not trained yet."""
    if config.model is not None:
        from .language.policy import LanguagePolicy

        return LanguagePolicy(config.language)
    assert isinstance(config, CloningConfig)
    return PointerPolicy.untrained(config.width, config.rounds)


def restored_policy(parts: Mapping[str, Any]) -> Policy:
    """Return the policy of a checkpoint."""
    if "language" in parts:
        from .language.policy import LanguagePolicy

        return LanguagePolicy.restored(parts)
    return PointerPolicy.restored(parts)
