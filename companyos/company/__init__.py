"""The company around a task: people, vendors, tickets, figures, requests and history, consistent in every service."""

from . import names, policy, precedence
from .cast import Cast, delegation_of, hire_cast, new_name
from .company import SIZES, Company, Person
from .life import cost_centre, fill, register_number
from .rows import Row

__all__ = [
    "SIZES",
    "Cast",
    "Company",
    "Person",
    "Row",
    "cost_centre",
    "delegation_of",
    "fill",
    "hire_cast",
    "names",
    "new_name",
    "policy",
    "precedence",
    "register_number",
]
