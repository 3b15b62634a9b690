"""Makes policies: for a new training, and from the checkpoint of another."""

from collections.abc import Mapping
from typing import Any

import torch

from .config import CloningConfig, TrainingConfig
from .interface import Policy
from .pointer.policy import PointerPolicy


def new_policy(config: TrainingConfig) -> Policy:
    """Return the policy that a configuration describes, which is not trained yet."""
    if config.model is not None:
        from .language.policy import LanguagePolicy

        return LanguagePolicy(config.language)
    assert isinstance(config, CloningConfig)
    return _on_one_core(PointerPolicy.untrained(config.width, config.rounds))


def restored_policy(parts: Mapping[str, Any]) -> Policy:
    """Return the policy of a checkpoint."""
    if "language" in parts:
        from .language.policy import LanguagePolicy

        return LanguagePolicy.restored(parts)
    return _on_one_core(PointerPolicy.restored(parts))


def _on_one_core(policy: PointerPolicy) -> PointerPolicy:
    """Return the policy and keep PyTorch to one core: threads on others mostly wait for each other at its small size.

    On a machine that others use too they take four times as long, all of it processor time.
    """
    torch.set_num_threads(1)
    return policy
