"""Automations of a company under construction: adding rules, and proving them against what the services offer."""

from .builder import Automations, rule_of

__all__ = ["Automations", "rule_of"]
