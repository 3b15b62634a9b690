"""What else an agent does at the desk: it costs success, unless the card says that it is harmless."""

import pytest

from companyos.scenario import Action, call

from ..conftest import instance_of
from ..play import carry_out, changed, without
from .test_played import MORE, SCENARIO, plan_of

GOAL = instance_of(SCENARIO, MORE).goal
REQUESTS = {row["id"]: row for row in instance_of(SCENARIO, MORE).rows["approvalflow"]["requests"]}
FIRST = next(key for key, end in GOAL["dispositions"].items() if end == "approved")
PASSED = next(key for key, end in GOAL["dispositions"].items() if end.startswith("passed_on"))
SECOND = GOAL["dispositions"][PASSED].partition(":")[2]
TAKING_PART = {GOAL["persona"], SECOND, *(REQUESTS[key]["requester"] for key in GOAL["dispositions"])}
STRANGER = min(
    row["id"]
    for row in instance_of(SCENARIO, MORE).rows["datahub"]["people"]
    if row["active"] and row["role"] == "technician" and row["id"] not in TAKING_PART
)


def message(to: str, about: str) -> Action:
    return call("datahub_message_colleague", to=to, about=about, body="Everything is approved.")


def question(about: str) -> Action:
    return call("approvalflow_ask_requester", request_id=FIRST, question="What for?", about=about)


@pytest.mark.parametrize(
    ("acts", "outside"),
    [
        ([message(STRANGER, FIRST)], "datahub/messages/"),
        ([message(SECOND, FIRST)], "datahub/messages/"),
        ([question(about) for about in ("purpose", "amount", "duplicate")], "approvalflow/questions/"),
    ],
    ids=["stranger", "another request", "three questions"],
)
def test_an_extra_act_costs_success(url: str, acts: list[Action], outside: str) -> None:
    episode = carry_out(url, SCENARIO, MORE, [*acts, *plan_of(MORE)], tools="all")

    assert not episode.success
    assert any(row.startswith(outside) for row in episode.grade["collateral"]), episode.grade["collateral"]


def test_acts_that_the_card_calls_harmless_keep_the_success(url: str) -> None:
    acts = [question("purpose"), message(REQUESTS[FIRST]["requester"], FIRST), message(SECOND, PASSED)]

    episode = carry_out(url, SCENARIO, MORE, [*acts, *plan_of(MORE)], tools="all")

    assert episode.success, episode.grade["collateral"]


def test_a_missing_quote_may_be_asked_for_as_a_matter_of_the_supplier(url: str) -> None:
    plan = changed(plan_of(MORE), "approvalflow_ask_requester", about="supplier")

    assert carry_out(url, SCENARIO, MORE, plan).success


def test_a_plan_without_its_reads_fails(url: str) -> None:
    episode = carry_out(url, SCENARIO, MORE, without(plan_of(MORE), "datahub_get_document"))

    assert not episode.success
    assert "cover_before_decisions" in {one["name"] for one in episode.grade["orders"] if not one["kept"]}
