"""Closes to be graded, and what their tests name of them."""

from companyos.scenario import Instance
from scenarios.quarter_close.facts import Facts
from scenarios.quarter_close.scenario import SCENARIO
from tests.scenarios.conftest import instance_of

REFRESH, FILE, SUBMIT, LOCK = (
    "datahub_refresh_data",
    "ticketdesk_create_ticket",
    "approvalflow_submit_approval",
    "datahub_lock_period",
)
#: Two tickets to file, one that a colleague has filed, three owners to ask, and a rate among the sources.
FULL: Instance[Facts] = instance_of(SCENARIO, 40)
#: A source that does not recover, and an earlier quarter that is reopened.
DOWN: Instance[Facts] = instance_of(SCENARIO, 43)
REOPENED: Instance[Facts] = instance_of(SCENARIO, 7)
FACTS, PERIOD, TICKET = FULL.facts, FULL.facts.books.period["id"], FULL.facts.ticket["id"]
ME, REPORTER, FILED = FACTS.me.id, FACTS.ticket["reporter"], min(FACTS.wanted)
#: A figure to be taken, and one of those that it is computed from.
CHILD = max(name for name in FACTS.needed if {*FACTS.parents.get(name, ())} & {*FACTS.needed})
SOURCE = min({FACTS.metric(name) for name in FACTS.parents[CHILD]} - FACTS.owners_to_ask.keys())
STRANGER = min(
    row["id"]
    for row in FULL.rows["datahub"]["people"]
    if row["active"] and row["id"] not in {ME, REPORTER, FACTS.approver, *FACTS.metrics_by_owner}
)
NEEDLESS = min(FACTS.finals.keys() - {FACTS.metric(name) for name in FACTS.variances})
OPEN_PERIODS = {row["id"] for row in FULL.rows["datahub"]["periods"] if row["status"] == "open"}
OTHER_PERIOD = min(OPEN_PERIODS - {PERIOD})
FIELDS = {
    "period": PERIOD,
    "variances": len(FACTS.beyond),
    "unexplained": FACTS.unexplained,
    "manual": FACTS.manual["id"],
}
