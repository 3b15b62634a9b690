"""Casework: what tasks about a ticket, the figure that decides and the approval it needs have in common."""

from . import checks, grading
from .case import Awaited, Case, Objection, approving, correcting, refreshing
from .outline import Outline
from .playbook import Employee, Play
from .route import Route
from .setting import Figure, Setting
from .task import Plot, Task

__all__ = [
    "Awaited",
    "Case",
    "Employee",
    "Figure",
    "Objection",
    "Outline",
    "Play",
    "Plot",
    "Route",
    "Setting",
    "Task",
    "approving",
    "checks",
    "correcting",
    "grading",
    "refreshing",
]
