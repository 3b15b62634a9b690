"""The conformance suite: what every scenario must satisfy, checked and explained to its author.

`check_instances` inspects generated instances and needs only the scenario. `check_play` plays some of them on a
running stack. Both yield verdicts: a claim about the scenario, and the complaints that contradict it.
"""

from .claims import Verdict
from .play import check_play
from .suite import Sample, check_instances

__all__ = ["Sample", "Verdict", "check_instances", "check_play"]
