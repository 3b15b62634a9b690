"""Automations: rules that a company's services follow by themselves, as data, without a database.

A rule has a trigger, conditions (`when`) and an action (`do`). The services and any simulation of them
evaluate rules with the same code. `proof` refuses a set of rules that could run forever or whose outcome
could depend on the order of delivery.
"""

from .offers import Effects, Offer
from .proof import MOST_DEEP, AutomationsUnsafe, prove
from .rules import Lookup, Occurrence, Rule, arguments, evaluate, given, is_active, may_hold

__all__ = [
    "MOST_DEEP",
    "AutomationsUnsafe",
    "Effects",
    "Lookup",
    "Occurrence",
    "Offer",
    "Rule",
    "arguments",
    "evaluate",
    "given",
    "is_active",
    "may_hold",
    "prove",
]
