"""The template of approval tasks: a ticket, the metric behind its decision, and the approval it needs."""

from . import allowances, checks, grading
from .builder import TaskBuilder
from .endings import TaskSpec
from .facts import ExternalBlocker, Measurement, Objection, TaskFacts
from .playbook import Employee, Play
from .profile import TaskProfile
from .route import Route
from .task import ApprovalTask
from .tools import APPROVAL_TOOLS

__all__ = [
    "APPROVAL_TOOLS",
    "ApprovalTask",
    "Employee",
    "ExternalBlocker",
    "Measurement",
    "Objection",
    "Play",
    "Route",
    "TaskBuilder",
    "TaskFacts",
    "TaskProfile",
    "TaskSpec",
    "allowances",
    "checks",
    "grading",
]
