"""What else an agent does at the desk: it costs success, unless the card says that it is harmless."""

import pytest

from companyos.scenario import Action, call
from scenarios.approver_desk.scenario import SCENARIO

from ..conftest import instance_of
from ..play import Episode, broken, carry_out, changed, solution, without
from .piles import ends_of

#: The first desk at which a requester has to be asked, and something is passed on.
MORE = next(
    one
    for one in (instance_of(SCENARIO, seed) for seed in range(200))
    if one.cause == "more"
    and any(case.asks for case in one.facts.desk.cases)
    and any(end.startswith("passed_on") for end in ends_of(one).values())
)
ENDED = next(one for one in (instance_of(SCENARIO, seed) for seed in range(200)) if one.cause == "ended")
REQUESTS = {row["id"]: row for row in MORE.rows["approvalflow"]["requests"]}
FIRST = next(key for key, end in ends_of(MORE).items() if end == "approved")
PASSED = next(key for key, end in ends_of(MORE).items() if end.startswith("passed_on"))
SECOND = ends_of(MORE)[PASSED].partition(":")[2]
TAKING_PART = {MORE.persona.id, SECOND, *(REQUESTS[key]["requester"] for key in ends_of(MORE))}
STRANGER = min(
    row["id"]
    for row in MORE.rows["datahub"]["people"]
    if row["active"] and row["role"] == "technician" and row["id"] not in TAKING_PART
)


def outcome(url: str, *first: Action) -> Episode:
    """Play the oracle's calls after other acts."""
    plan = solution(url, SCENARIO, MORE.seed, tools="all")
    return carry_out(url, SCENARIO, MORE.seed, [*first, *plan], tools="all")


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
    episode = outcome(url, *acts)

    assert not episode.success
    assert any(row.startswith(outside) for row in episode.grade["collateral"]), episode.grade["collateral"]


def test_acts_that_the_card_calls_harmless_keep_the_success(url: str) -> None:
    acts = [question("purpose"), message(REQUESTS[FIRST]["requester"], FIRST), message(SECOND, PASSED)]

    episode = outcome(url, *acts)

    assert episode.success, episode.grade["collateral"]


def test_a_missing_quote_may_be_asked_for_as_a_matter_of_the_supplier(url: str) -> None:
    plan = changed(solution(url, SCENARIO, MORE.seed), "approvalflow_ask_requester", about="supplier")

    assert carry_out(url, SCENARIO, MORE.seed, plan).success


def test_a_plan_without_its_reads_fails(url: str) -> None:
    plan = without(solution(url, SCENARIO, MORE.seed), "datahub_get_document")

    assert "cover_before_decisions" in broken(carry_out(url, SCENARIO, MORE.seed, plan))


@pytest.mark.parametrize(
    "decision", [{"decision": "approve"}, {"decision": "reject", "reason_code": "over_budget"}]
)
@pytest.mark.parametrize("of", [MORE, ENDED], ids=["covered", "ended"])
def test_the_same_to_every_request_earns_less_than_nothing(url: str, of, decision: dict[str, str]) -> None:
    every = [call("approvalflow_decide_request", request_id=one, **decision) for one in ends_of(of)]

    episode = carry_out(url, SCENARIO, of.seed, every)

    assert not episode.success
    assert episode.grade["episode_return"] < 0
