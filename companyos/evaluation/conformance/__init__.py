"""The conformance suite: what every scenario must satisfy, checked and explained to its author.

`check_instances` inspects generated instances and needs only the scenario. On a running stack, `check_play` plays some
of them, and `check_acts` adds acts to the plan of the oracle that must cost success, or must not. All yield verdicts:
a claim about the scenario, and the complaints that contradict it.
"""

from .acts import check_acts
from .claims import Verdict
from .play import check_play
from .suite import Sample, check_instances

__all__ = ["Sample", "Verdict", "check_acts", "check_instances", "check_play"]
