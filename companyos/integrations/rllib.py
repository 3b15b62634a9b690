"""Ray: the Gymnasium environment under a name that RLlib knows, made anew in each worker.

register()
config = PPOConfig().environment("CompanyOS-v0", env_config={"scenario": "vendor_onboarding"})
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ray.tune.registry import register_env

from .gymnasium import ENVIRONMENT, GymEnv


def register(name: str = ENVIRONMENT) -> None:
    """Let RLlib make environments by this name. Each worker makes its own, with a connection of its own.

    Its `env_config` has the arguments of `GymEnv`. A worker on another machine needs `base_url`, and the token in
    COMPANYOS_TRAINER_TOKEN, if the stack asks for one.
    """
    register_env(name, made)


def made(env_config: Mapping[str, Any]) -> GymEnv:
    """Return a new environment. What RLlib adds to a configuration, such as the worker's number, is no entry of it."""
    return GymEnv(**dict(env_config))
