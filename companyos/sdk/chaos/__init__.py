"""Chaos: the fault catalog, chaos settings, and the seeded, bounded plan that decides which faults happen."""

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
