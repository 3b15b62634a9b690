"""Chaos: seeded, bounded and fair. The fault catalog, chaos settings, and the plan that decides what happens."""

from .catalog import CATALOG, FaultId, FaultSpec, Layer, Parameter, Reach
from .parse import cost_bound, parse_chaos
from .plan import FaultPlan, History, Incident, Operation
from .presets import ALIASES, NAMES
from .profile import Chaos, ChaosRefused, Limits, Setting

__all__ = [
    "ALIASES",
    "CATALOG",
    "NAMES",
    "Chaos",
    "ChaosRefused",
    "FaultId",
    "FaultPlan",
    "FaultSpec",
    "History",
    "Incident",
    "Layer",
    "Limits",
    "Operation",
    "Parameter",
    "Reach",
    "Setting",
    "cost_bound",
    "parse_chaos",
]
