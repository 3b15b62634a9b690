"""Automations of a service: rules, stored as rows, that react to its own changes and to others' events."""

from .engine import Automations, Firing

__all__ = ["Automations", "Firing"]
