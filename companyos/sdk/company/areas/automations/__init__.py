"""Automations of a company under construction: adds rules and proves them against what the services offer."""

from .builder import Automations, rule_of

__all__ = ["Automations", "rule_of"]
