"""Episodes of closes: solved, spoiled by a single act, and attacked."""

from functools import cache

import pytest

from companyos.chaos import parse_chaos
from companyos.evaluation.agents import Naive, OpenLoopPlan
from companyos.scenario import Action, Instance, call, find
from tests.scenarios.conftest import SALT
from tests.scenarios.play import Episode, carry_out, changed, play, solve

SCENARIO = find("quarter_close")
LOCK, SUBMIT, FILE, ASK = (
    "datahub_lock_period",
    "approvalflow_submit_approval",
    "ticketdesk_create_ticket",
    "datahub_message_colleague",
)


@cache
def drawn(seed: int) -> Instance:
    return SCENARIO.generate(seed, parse_chaos(0), SALT)


def open_tickets(instance: Instance) -> set[str]:
    """Return the metrics of the period with an open ticket of a colleague's."""
    period, tables = instance.goal["period"], instance.rows
    metrics = {row["metric_id"] for row in tables["datahub"]["period_lines"] if row["period_id"] == period}
    tickets = tables["ticketdesk"]["tickets"]
    return {row["subject"] for row in tickets if row["status"] == "new"} & metrics


def first(
    cause: str = "edge", *, tickets: int | None = None, feasible: bool = True, filed: bool = False
) -> int:
    """Return the first seed of such a close."""
    return next(
        seed
        for seed in range(200)
        if drawn(seed).cause.startswith(cause)
        and drawn(seed).feasible is feasible
        and (tickets is None or len(drawn(seed).goal["tickets"]) == tickets)
        and (not filed or open_tickets(drawn(seed)))
    )


FULL, CLEAN = first(tickets=1), first(tickets=0)
DOWN, PRIOR = first("source", feasible=False), first("prior", feasible=False)


def plan(seed: int = FULL) -> list[Action]:
    return SCENARIO.open_loop_plan(drawn(seed))


def outcome(url: str, actions: list[Action], seed: int = FULL) -> Episode:
    return carry_out(url, SCENARIO, seed, actions)


def broken(episode: Episode) -> set[str]:
    """Return what the grade card says is missing, forbidden or out of order."""
    card = episode.grade
    missing = {one["name"] for one in card["musts"] if not one["holds"]}
    return missing | {
        one["name"] for kind in ("forbidden", "orders") for one in card[kind] if not one["kept"]
    }


def earned(episode: Episode) -> float:
    return sum(float(record["reward"]) for record in episode.trace[1:] if record.get("reward") is not None)


def before(tool: str, *acts: Action, seed: int = FULL) -> list[Action]:
    """Return the right plan with other acts before the first call of a tool."""
    actions = plan(seed)
    at = next(number for number, one in enumerate(actions) if one["tool_name"] == tool)
    return [*actions[:at], *acts, *actions[at:]]


def without(tool: str) -> list[Action]:
    return [one for one in plan() if one["tool_name"] != tool]


def ticket(metric_id: str) -> Action:
    told = {"title": "Variance", "description": "Far off.", "priority": "medium"}
    return call(FILE, kind="variance", subject=metric_id, **told)


def lines(instance: Instance) -> list[str]:
    rows, period = instance.rows["datahub"]["period_lines"], instance.goal["period"]
    return [row["metric_id"] for row in rows if row["period_id"] == period]


def sound_line(instance: Instance) -> str:
    """Return a line that needs no ticket."""
    return min({*lines(instance)} - {*instance.goal["tickets"]} - open_tickets(instance))


def stated(**fields: object) -> list[Action]:
    """Return the right plan with other fields in the request."""
    return changed(plan(), SUBMIT, fields={**drawn(FULL).goal["request"]["fields"], **fields})


def almost_unexplained() -> float:
    """Return a wrong sum that leads to the same approver as the right one."""
    return round(drawn(FULL).goal["request"]["fields"]["unexplained"] + 1.0, 2)


@pytest.mark.parametrize("seed", [FULL, CLEAN, DOWN, PRIOR], ids=["full", "clean", "down", "prior"])
def test_the_oracle_ends_each_kind_of_close_as_it_has_to(url: str, seed: int) -> None:
    episode = solve(url, SCENARIO, seed)

    assert episode.success, (broken(episode), episode.grade["collateral"])
    assert episode.grade["step_count"] <= drawn(seed).oracle_steps


def test_a_close_by_the_right_plan_succeeds_and_locks_the_right_values(url: str) -> None:
    episode = outcome(url, plan())

    view = episode.state_of(drawn(FULL)).view()
    kept = view.rows("datahub", "period_lines", period_id=drawn(FULL).goal["period"])
    values = {row["metric_id"]: view.row("datahub", "metrics", row["metric_id"])["value"] for row in kept}
    assert episode.success
    assert {row["metric_id"]: row["locked_value"] for row in kept} == values


@pytest.mark.parametrize(
    ("actions", "missing"),
    [
        (without(FILE), {"variances_exact", "priorities_right", "filed_before_submission"}),
        (without(LOCK), {"locked_right"}),
        (without(SUBMIT), {"signed_off", "signed_off_before_lock"}),
        (stated(variances=7), {"signed_off", "signed_off_wrong", "signed_off_before_lock"}),
        (
            stated(unexplained=almost_unexplained()),
            {"signed_off", "signed_off_wrong", "signed_off_before_lock"},
        ),
        (stated(manual="DOC-0001"), {"signed_off", "signed_off_wrong", "signed_off_before_lock"}),
        (changed(plan(), FILE, priority="low"), {"priorities_right"}),
        (changed(plan(), FILE, subject=sound_line(drawn(FULL))), {"needless_ticket", "variances_exact"}),
        (before(FILE, ticket(sound_line(drawn(FULL)))), {"needless_ticket", "variances_exact"}),
        (without(ASK), {"owners_heard", "heard_before_tickets", "heard_before_submission"}),
        (without("datahub_get_message"), {"owners_heard", "heard_before_tickets", "heard_before_submission"}),
        (before(LOCK, ticket(min(drawn(FULL).goal["tickets"]))), {"second_ticket"}),
        (before(SUBMIT, call(LOCK, period_id=drawn(FULL).goal["period"])), {"signed_off_before_lock"}),
    ],
    ids=[
        "no ticket",
        "no lock",
        "no sign-off",
        "wrong count",
        "wrong sum",
        "wrong manual",
        "wrong priority",
        "wrong metric",
        "needless ticket",
        "owners not asked",
        "answers not read",
        "second ticket",
        "early lock",
    ],
)
def test_a_close_with_one_act_missing_or_wrong_is_not_solved(
    url: str, actions: list[Action], missing: set[str]
) -> None:
    episode = outcome(url, actions)

    assert not episode.success
    assert missing <= broken(episode)


def test_a_run_before_what_it_is_computed_from_spoils_a_close_even_if_it_is_repeated(url: str) -> None:
    runs = drawn(FULL).goal["runs"]
    last, refresh_s = runs[-1]
    early = [call("datahub_refresh_data", metric_id=last), call("wait", seconds=refresh_s)]

    episode = outcome(url, [*early, *plan()])

    assert not episode.success
    assert broken(episode) == {"taken_out_of_order"}


def test_refreshing_everything_at_once_and_locking_that_is_irreversible(url: str) -> None:
    runs = [
        call("datahub_refresh_data", metric_id=one)
        for one in sorted({run for run, _ in drawn(FULL).goal["runs"]})
    ]
    lock = call(LOCK, period_id=drawn(FULL).goal["period"])

    episode = outcome(url, [*runs, call("wait", seconds=7200), lock, call("finish")])

    assert {"locked_wrong", "figures_current", "signed_off_before_lock"} <= broken(episode)
    assert earned(episode) < -10


def test_a_second_ticket_beside_a_colleagues_spoils_a_close(url: str) -> None:
    seed = first("", filed=True)
    again = ticket(min(open_tickets(drawn(seed))))

    episode = outcome(url, before(SUBMIT, again, seed=seed), seed)

    assert "second_ticket" in broken(episode)
    assert outcome(url, plan(seed), seed).success


def test_locking_another_quarter_spoils_a_close(url: str) -> None:
    periods = drawn(FULL).rows["datahub"]["periods"]
    other = next(
        row["id"] for row in periods if row["status"] != "locked" and row["id"] != drawn(FULL).goal["period"]
    )

    episode = outcome(url, before(LOCK, call(LOCK, period_id=other)))

    assert "other_period_locked" in broken(episode)


def test_a_ticket_about_every_line_earns_less_than_nothing(url: str) -> None:
    every = [ticket(one) for one in lines(drawn(FULL))]

    episode = outcome(url, [*every, call("finish")])

    assert not episode.success
    assert earned(episode) < 0


@pytest.mark.parametrize("last", [call("finish"), call("refuse", reason_code="source_down")])
@pytest.mark.parametrize("seed", [CLEAN, DOWN, PRIOR], ids=["clean", "down", "prior"])
def test_giving_up_at_once_solves_nothing(url: str, seed: int, last: Action) -> None:
    episode = outcome(url, [last], seed)

    assert not episode.success
    assert earned(episode) < 0


@pytest.mark.parametrize("seed", [DOWN, PRIOR], ids=["down", "prior"])
def test_locking_what_cannot_be_closed_is_irreversible(url: str, seed: int) -> None:
    lock = call(LOCK, period_id=drawn(seed).goal["period"])

    episode = outcome(url, [lock, *plan(seed)], seed)

    assert not episode.success
    assert "closed_anyway" in broken(episode)


def test_a_source_given_up_after_one_run_too_few_is_no_reason_to_postpone(url: str) -> None:
    actions = plan(DOWN)
    last = max(number for number, one in enumerate(actions) if one["tool_name"] == "datahub_refresh_data")

    episode = outcome(url, actions[:last] + actions[last + 2 :], DOWN)

    assert not episode.success
    assert broken(episode) == {"source_tried"}


def test_the_plan_of_the_other_of_the_pair_fails(url: str) -> None:
    for seed in (FULL, FULL ^ 1, DOWN ^ 1, PRIOR ^ 1):
        assert not play(url, SCENARIO, seed, OpenLoopPlan(plan(seed ^ 1))).success


def test_an_agent_that_follows_the_list_fails(url: str) -> None:
    assert not any(play(url, SCENARIO, seed, Naive(SCENARIO)).success for seed in range(3))
