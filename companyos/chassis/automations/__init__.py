"""Automations of a service: its rules as rows, run on what happens in it and on events of the others."""

from .engine import Automations, Firing

__all__ = ["Automations", "Firing"]
