"""A search for attacks on rewards: loops that earn more than they cost, and plans that succeed blindly.

`loops` repeats short sequences of calls from many points of an oracle's episodes. `plans` climbs from the
logs of an oracle to the open-loop plan that earns most on other seeds. `report` judges the findings of both.
"""

from .branches import Branch, Played, Trainer, TrainerBranches
from .infeasible import missing_refusals
from .report import as_table, attacked, card_with_attacks, defects
from .search import AttackProgress, Effort, search_attacks

__all__ = [
    "AttackProgress",
    "Branch",
    "Effort",
    "Played",
    "Trainer",
    "TrainerBranches",
    "as_table",
    "attacked",
    "card_with_attacks",
    "defects",
    "missing_refusals",
    "search_attacks",
]
