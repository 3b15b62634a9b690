"""Makes policies: for a new training, and from the checkpoint of another."""

from collections.abc import Mapping, Sequence
from typing import Any

from .config import CloningConfig
from .interface import Policy
from .pointer.policy import PointerPolicy
from .rollouts import Rollout


def new_policy(config: CloningConfig, shown: Sequence[Rollout]) -> Policy:
    """Return the policy that a configuration describes, which may take its words from demonstrations."""
    return PointerPolicy.untrained(config.width, config.rounds, shown)


def restored_policy(parts: Mapping[str, Any]) -> Policy:
    """Return the policy of a checkpoint."""
    return PointerPolicy.restored(parts)
