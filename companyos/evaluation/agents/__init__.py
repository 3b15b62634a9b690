"""Agents that measure scenarios: one that solves them, two that try, and some that must not succeed."""

from companyos.sdk.scripted import Scripted

from .agent import Agent, Careful, DoNothing, Naive, OpenLoopPlan, Oracle, Recorded
from .random_pool import POOL, RandomPool
from .random_schema import RandomSchema

__all__ = [
    "POOL",
    "Agent",
    "Careful",
    "DoNothing",
    "Naive",
    "OpenLoopPlan",
    "Oracle",
    "RandomPool",
    "RandomSchema",
    "Recorded",
    "Scripted",
]
