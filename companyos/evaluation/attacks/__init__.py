"""A search for attacks on rewards: loops that earn more than they cost, endings too early, and plans without looking.

`loops` repeats short sequences of calls from many points of an oracle's episodes. `endings` ends plans early, in every
way, under the profile `drill`. `plans` climbs from the logs of an oracle to the open-loop plan that earns most on other
seeds. `report` judges the findings of all three.
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
