"""Agents that measure scenarios: one that solves them, two that try, and some that must not succeed."""

from .agent import Agent, DoNothing, OpenLoopPlan, Oracle, Scripted
from .careful import Careful
from .naive import Naive
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
    "Scripted",
]
