"""Ray: registers the Gymnasium environment with RLlib, which creates it in each worker.

register()
config = PPOConfig().environment("CompanyOS-v0", env_config={"scenario": "vendor_onboarding"})
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ray.tune.registry import register_env

from .gymnasium import ENVIRONMENT, GymEnv


def register(name: str = ENVIRONMENT) -> None:
    """Register the environment with RLlib. Each worker creates its own, with its own connection.

    The `env_config` takes the arguments of `GymEnv`. A worker on another machine needs `base_url` and, if the
    stack requires a token, COMPANYOS_TRAINER_TOKEN.
    """
    register_env(name, made)


def made(env_config: Mapping[str, Any]) -> GymEnv:
    """Return a new environment, ignoring what RLlib adds to the configuration, such as a worker index."""
    return GymEnv(**dict(env_config))
