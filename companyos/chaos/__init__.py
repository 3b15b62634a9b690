"""Chaos: seeded, bounded and fair. The catalogue of faults, settings of them, and the plan that decides."""

from .catalogue import CATALOGUE, FaultId, FaultSpec, Layer, Parameter, Reach
from .parse import cost_bound, parse_chaos
from .plan import FaultPlan, History, Incident, Operation
from .presets import ALIASES, NAMES
from .profile import Chaos, ChaosRefused, Limits, Setting

__all__ = [
    "ALIASES",
    "CATALOGUE",
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
