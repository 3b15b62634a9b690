"""Faulty events about a ticket's blockers: an agent that follows up still unblocks the ticket."""

import pytest

from companyos.evaluation.agents import Oracle
from companyos.sdk.chaos import parse_chaos
from companyos.sdk.scenario import find
from tests.sizes import size

from ..conftest import SALT
from ..play import play
from .faulty import with_faults

NEWS = {"approval": "approval.decided", "data": "metric.refreshed"}
#: The faults that can affect these events.
LATE = {
    "evt.delay": {"ticks_s": 600},
    "evt.reorder": {"window_s": 600},
    "evt.drop": {},
    "evt.poison": {},
    "evt.consumer_down": {},
    "evt.duplicate": {"copies": 4},
    "evt.broker_loss": {},
}
#: A poisoned event needs a field that can be repaired, and a new version of a metric has none.
MEETS = [(kind, fault) for kind in NEWS for fault in LATE if (kind, fault) != ("data", "evt.poison")]


def late(kind, fault, **params):
    """Return the profile of a blocker of a kind, and of what happens to the news of it at TicketDesk."""
    about = {"event": [NEWS[kind]], "consumer": ["ticketdesk"]}
    return {
        "faults": {
            "biz.blocked_ticket": {"p": 1.0, "params": {"depth": 2, "kind": [kind]}},
            fault: {"p": 1.0, "F": 2, "match": about, "params": params},
        }
    }


def met(episode, fault, awaited):
    """Say whether the fault befell the news of what the ticket waited for; a service is down for any news."""
    told = [one for record in episode.trace[1:] for one in record["faults"] if one["fault"] == fault]
    return any(awaited in one["where"] or fault == "evt.consumer_down" for one in told)


@pytest.mark.proof
@pytest.mark.parametrize("name", size(["expense_report"], ["expense_report", "bug_escalation"]))
@pytest.mark.parametrize(("kind", "fault"), MEETS)
def test_the_oracle_brings_the_news_that_is_late(url, name, kind, fault):
    chaos = late(kind, fault, **LATE[fault])
    seed = with_faults(name, "biz.blocked_ticket", depth=2, kind=[kind]).seed
    instance = find(name).generate(seed, parse_chaos(chaos), SALT)

    episode = play(url, find(name), seed, Oracle(find(name)), chaos=chaos)

    assert episode.success
    assert len(episode.trace) - 1 <= instance.oracle_steps
    if any(one.name == "approved" for one in instance.milestones):
        assert met(episode, fault, instance.facts.awaits.id)
