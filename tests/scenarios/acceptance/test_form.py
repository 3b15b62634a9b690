"""The wording of the task's objects does not distinguish them from the background."""

import re

import pytest

from companyos.cli.chaos import objects_of
from companyos.sdk.scenario import load_scenarios
from tests.families import EVERY_SHAPE
from tests.scenarios.conftest import instance_of
from tests.sizes import size

pytestmark = pytest.mark.proof

COMPANIES = size(60, 500)
#: Some families by default, all of them in a proof.
FAMILIES = size(["incident_change", "quarter_close", "vendor_onboarding"], EVERY_SHAPE)
#: Whoever asks for their queue, or for a leaver's work, is shown the very tickets of the task.
LISTED = ("offboarding", "support_triage")
#: Chance is 0.5.
AT_MOST = size(0.65, 0.60)


def tickets(scenario, seed):
    """Return the texts of the goal's tickets and of others of their kind, each with whether it is the goal's."""
    instance = instance_of(scenario, seed)
    named, rows = objects_of(instance)["ticket_id"], instance.rows["ticketdesk"]["tickets"]
    others = {row["kind"] for row in rows if row["id"] not in named}
    kinds = others & {row["kind"] for row in rows if row["id"] in named}
    return [
        (f"{row['title']}\n{row['description']}", row["id"] in named) for row in rows if row["kind"] in kinds
    ]


def split(companies):
    """Return the texts of companies, digits alike, and whether each is the goal's."""
    found = [(re.sub(r"\d", "0", text), is_goal) for one in companies for text, is_goal in one]
    return [text for text, _ in found], [is_goal for _, is_goal in found]


@pytest.mark.parametrize("name", [name for name in FAMILIES if name not in LISTED])
def test_a_classifier_of_texts_does_not_find_the_goals_tickets(name):
    # It takes seconds to load, which no other test should wait for.
    from .classifier import accuracy

    scenario = load_scenarios()[name]
    companies = [tickets(scenario, 2 * number) for number in range(COMPANIES)]
    texts, labels = split(companies[: COMPANIES * 3 // 5])
    if len(set(labels)) < 2:
        pytest.skip("the goal names no tickets, or there are no others of their kind")

    found = accuracy((texts, labels), split(companies[COMPANIES * 3 // 5 :]))

    assert found <= AT_MOST
