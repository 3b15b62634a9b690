"""Agents to measure scenarios with: one that solves them, two that try, and some that must not."""

from .agent import Agent, BlindPlan, DoNothing, Oracle, Scripted
from .careful import Careful
from .naive import Naive
from .random_pool import POOL, RandomPool
from .random_schema import RandomSchema

__all__ = [
    "POOL",
    "Agent",
    "BlindPlan",
    "Careful",
    "DoNothing",
    "Naive",
    "Oracle",
    "RandomPool",
    "RandomSchema",
    "Scripted",
]
