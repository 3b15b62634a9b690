"""Agents to measure scenarios with: one that solves them, and some that must not."""

from .agent import Agent, BlindPlan, DoNothing, Oracle
from .random_pool import POOL, RandomPool
from .random_schema import RandomSchema

__all__ = ["POOL", "Agent", "BlindPlan", "DoNothing", "Oracle", "RandomPool", "RandomSchema"]
