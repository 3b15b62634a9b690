"""Agents that measure scenarios: one that solves them, some that lack a skill, and some that must not succeed."""

from companyos.sdk.scripts.scripted import Scripted

from .agent import Agent, DoNothing, OpenLoopPlan, Oracle, Recorded
from .omissions import OMISSIONS, Omitting
from .random_pool import POOL, RandomPool
from .random_schema import RandomSchema

__all__ = [
    "OMISSIONS",
    "POOL",
    "Agent",
    "DoNothing",
    "Omitting",
    "OpenLoopPlan",
    "Oracle",
    "RandomPool",
    "RandomSchema",
    "Recorded",
    "Scripted",
]
