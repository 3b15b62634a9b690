"""Whole requests as they are handed out: the causes of a pair, the private facts, and the plan that solves them."""

from collections.abc import Iterator
from functools import cache

from companyos.chaos import parse_chaos
from companyos.scenario import Action, Instance, call
from scenarios.erasure_request.facts import HELD_ALL, HELD_PART, LIFTED, PROVEN, UNPROVEN
from scenarios.erasure_request.pack import REFRESH_S
from scenarios.erasure_request.scenario import SCENARIO
from tests.scenarios.conftest import SALT

SEEDS = range(120)
ERASING = (HELD_PART, LIFTED, PROVEN)


@cache
def instance(seed: int, level: int = 0) -> Instance:
    return SCENARIO.generate(seed, parse_chaos(level), SALT, "small")


def of(*causes: str) -> Iterator[Instance]:
    """Yield the instances with these causes."""
    yield from (instance(seed) for seed in SEEDS if instance(seed).cause in causes)


def tools(plan: list[Action]) -> list[str]:
    return [action["tool_name"] for action in plan]


def acts(plan: list[Action]) -> dict[str, str]:
    """Return what a plan does to each object."""
    found = {}
    for action in plan:
        arguments = action["arguments"]
        if action["tool_name"].endswith("erase_personal_data"):
            found[arguments["object_id"]] = arguments["mode"]
        elif action["tool_name"].endswith("redact_personal_data"):
            found[arguments["request_id"]] = "redact"
    return found


def test_a_pair_is_about_the_hold_or_about_the_sender() -> None:
    pairs = {frozenset(instance(seed + at).cause for at in (0, 1)) for seed in range(0, 120, 2)}

    assert pairs == {
        frozenset({HELD_ALL, LIFTED}),
        frozenset({PROVEN, UNPROVEN}),
        frozenset({HELD_PART, LIFTED}),
    }


def test_about_half_of_the_pairs_are_about_a_hold_on_a_part() -> None:
    parts = sum(instance(seed).cause in (HELD_PART, LIFTED) for seed in SEEDS)
    all_held = sum(instance(seed).cause == HELD_ALL for seed in SEEDS)

    assert 0.4 < (parts - all_held) / len(SEEDS) < 0.7
    assert 0.05 < all_held / len(SEEDS) < 0.2


def test_the_brief_names_the_customer_and_the_ticket_and_nothing_private() -> None:
    for seed in SEEDS:
        one = instance(seed)

        assert one.goal["identifiers"][0] in one.brief
        assert one.goal["ticket"] in one.brief
        assert not [fact for fact in one.private if fact in one.brief]


def test_only_a_hold_on_everything_cannot_be_done() -> None:
    for seed in SEEDS:
        one = instance(seed)

        assert one.feasible is (one.cause != HELD_ALL)


def test_sets_are_shown_for_requests_that_erase_something() -> None:
    for seed in SEEDS:
        one = instance(seed)
        names = ["erased", "redacted"] if one.cause in ERASING else []

        assert [shown.name for shown in one.sets] == names


def test_the_plan_for_a_request_that_nobody_may_make_is_to_return_it_with_the_evidence() -> None:
    for one in of(UNPROVEN):
        plan = SCENARIO.open_loop_plan(one)

        assert tools(plan) == ["datahub_get_message", "ticketdesk_return_ticket", "finish"]
        assert plan[1]["arguments"]["references"] == one.goal["references"]


def test_the_plan_for_a_hold_on_everything_is_to_refuse_once_it_is_known() -> None:
    for one in of(HELD_ALL):
        plan = SCENARIO.open_loop_plan(one)

        first = ["datahub_get_message", "datahub_refresh_data", "wait", "datahub_query_metric"]
        assert tools(plan)[:4] == first
        assert tools(plan)[4:-1] == ["datahub_get_document"] * len(one.goal["references"])
        assert plan[-1] == call("refuse", reason_code="legal_hold", evidence=[one.goal["hold"]])
        assert plan[2]["arguments"]["seconds"] >= REFRESH_S


def test_the_plan_treats_every_object_as_it_has_to_be() -> None:
    for one in of(*ERASING):
        wanted = dict.fromkeys(one.goal["erase"], "erase") | dict.fromkeys(one.goal["redact"], "redact")

        assert acts(SCENARIO.open_loop_plan(one)) == wanted


def test_the_plan_asks_the_service_that_keeps_an_object() -> None:
    for one in of(*ERASING):
        for action in SCENARIO.open_loop_plan(one):
            object_id = action["arguments"].get("object_id", action["arguments"].get("request_id"))
            if object_id in one.goal["services"]:
                assert action["tool_name"].startswith(one.goal["services"][object_id])


def test_the_plan_asks_for_approval_only_of_special_records_and_before_it_erases() -> None:
    for one in of(*ERASING):
        called = tools(SCENARIO.open_loop_plan(one))
        begins = next(at for at, tool in enumerate(called) if tool.endswith("personal_data"))
        asked = [at for at, tool in enumerate(called) if tool == "approvalflow_submit_approval"]

        assert len(asked) == bool(one.goal["special"])
        assert all(at < begins for at in asked)


def test_the_plan_closes_exactly_the_open_cases_that_it_erases_and_the_ticket() -> None:
    for one in of(*ERASING):
        plan = SCENARIO.open_loop_plan(one)
        closed = [
            act["arguments"]["ticket_id"] for act in plan if act["tool_name"] == "ticketdesk_close_ticket"
        ]

        cases = [key for key in one.goal["erase"] if key in one.goal["open"]]
        assert closed == [*cases, one.goal["ticket"]]
