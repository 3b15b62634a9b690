"""Agents that read a company by its tools: what they find out is what was written, and their acts follow from it."""

from functools import cache

import pytest

from companyos.chaos import parse_chaos
from companyos.scenario import Action, Instance
from companyos.sdk.asking import Asker
from scenarios.constrained_change.change import FOUR, PlannedChange
from scenarios.constrained_change.reading import Known, read_everything, read_list
from scenarios.constrained_change.scenario import SCENARIO
from scenarios.constrained_change.simulation import Act

from ..conftest import SALT
from .changes import behind
from .conversation import PAGE, answered, called, first_observation
from .simulated import SimulatedCompany, all_rules

SEEDS = range(10)


@cache
def instance_of(seed: int) -> Instance:
    return SCENARIO.generate(seed, parse_chaos(0), SALT)


def change_of(seed: int) -> PlannedChange:
    """Return the change behind an instance."""
    return behind(seed // 2, instance_of(seed).goal["cause"])


@cache
def read(seed: int, *, documents: bool = True) -> tuple[Known, list[Action]]:
    """Return what an agent finds out in an instance, and its calls."""
    instance = instance_of(seed)
    observation = first_observation(instance.brief, instance.start)
    script = read_everything(Asker(observation), observation["text"], documents=documents)
    known, calls = answered(script, SimulatedCompany(instance))
    assert known is not None
    return known, calls


@cache
def played(seed: int, agent: str) -> tuple[SimulatedCompany, list[Action]]:
    """Return a company after an agent has done its work in it, and the agent's calls."""
    company = SimulatedCompany(instance_of(seed))
    observation = first_observation(company.instance.brief, company.now)
    _, calls = answered(getattr(SCENARIO, agent)(observation), company)
    return company, calls


@pytest.mark.parametrize("seed", SEEDS)
def test_the_list_is_read_as_it_was_written(seed: int) -> None:
    known, change = read(seed)[0], change_of(seed)

    assert list(known.wanted.items()) == [(move.asset["id"], move.to) for move in change.moves]
    assert {asset: row["id"] for asset, row in known.tickets.items()} == {
        move.asset["id"]: move.ticket["id"] for move in change.moves
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_the_brief_is_read_as_it_was_written(seed: int) -> None:
    known, change = read(seed)[0], change_of(seed)

    assert known.all_or_nothing == change.all_or_nothing
    assert known.oncall == change.oncall.id


@pytest.mark.parametrize("seed", SEEDS)
def test_every_rule_of_the_task_is_found_and_none_that_does_not_run(seed: int) -> None:
    """Rules differ in their ids where a document states them, and in nothing that decides what they do."""
    known, instance = read(seed)[0], instance_of(seed)
    task = {row["id"] for _, row in change_of(seed).goal_rules}

    relevant = [repr((rule.service, rule.trigger, rule.when, rule.do)) for rule in known._relevant()]
    running = {repr((rule.service, rule.trigger, rule.when, rule.do)): rule for rule in all_rules(instance)}

    assert set(relevant) <= set(running)
    assert {name for name, rule in running.items() if rule.id in task} <= set(relevant)
    assert len(relevant) == len(set(relevant))


@pytest.mark.parametrize("seed", SEEDS)
def test_the_times_of_rules_are_read_as_they_are(seed: int) -> None:
    known, instance = read(seed)[0], instance_of(seed)
    started = {"datahub", "ticketdesk"}

    def times(rules: list[object]) -> set[str]:
        return {
            repr((vars(one)["do"], vars(one)["active_from"], vars(one)["active_until"], vars(one)["paused"]))
            for one in rules
            if vars(one)["service"] in started
            and (vars(one)["active_from"] or vars(one)["active_until"] or vars(one)["paused"])
        }

    assert times(list(known.rules)) == times(list(all_rules(instance)))


@pytest.mark.parametrize("seed", SEEDS)
def test_what_is_known_of_the_start_agrees_with_the_company(seed: int) -> None:
    known, change = read(seed)[0], change_of(seed)

    assets = {row["id"]: row["holder"] for row in known.assets.values()}

    assert assets == {
        key: row["holder"] for (_, table, key), row in change.begun.rows.items() if table == "assets"
    }
    assert {person.id for person in change.people if person.id in known.levels} >= {
        move.to for move in change.moves
    }
    assert known.values == change.begun.values


@pytest.mark.parametrize("seed", SEEDS)
def test_only_the_policy_in_force_is_taken_for_the_policy(seed: int) -> None:
    known, change = read(seed)[0], change_of(seed)

    assert known.policy is not None
    assert known.policy["id"] == change.policy_id


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_lists_are_read_to_their_end(seed: int) -> None:
    instance, calls = instance_of(seed), read(seed)[1]
    listed = {
        service: sum(row["listed"] for row in instance.rows[service]["automations"])
        for service in ("datahub", "ticketdesk")
    }

    for service, count in listed.items():
        pages = called(calls, f"{service}_list_automations")
        assert len(pages) == max(1, -(-count // PAGE))
        assert [int(one.get("cursor", 0)) for one in pages] == [PAGE * at for at in range(len(pages))]


@pytest.mark.parametrize("seed", SEEDS[:6])
def test_only_the_limit_of_a_rule_that_matters_is_refreshed(seed: int) -> None:
    assert called(read(seed)[1], "datahub_refresh_data") == [
        {"metric_id": instance_of(seed).goal["metric_id"]}
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_exactly_the_rules_of_no_register_are_missed_without_documents(seed: int) -> None:
    change = change_of(seed)
    all_of_them, registered = read(seed)[0], read(seed, documents=False)[0]
    hidden = sum(not row["listed"] for _, row in change.goal_rules)

    assert len(all_of_them._relevant()) - len(registered._relevant()) == hidden
    assert registered.policy is None


@pytest.mark.parametrize("seed", SEEDS)
def test_the_oracle_solves_what_can_be_solved_and_harms_nobody(seed: int) -> None:
    company, calls = played(seed, "oracle")

    assert company.harm == set()
    assert calls[-1]["tool_name"] == ("finish" if company.instance.feasible else "refuse")
    assert company.is_solved


@pytest.mark.parametrize("seed", SEEDS)
def test_the_oracle_leaves_out_what_the_policy_says_or_refuses_with_its_evidence(seed: int) -> None:
    company, calls = played(seed, "oracle")
    goal, last = company.instance.goal, calls[-1]["arguments"]

    if company.instance.feasible:
        without = f" without {goal['left_out']}" if goal["left_out"] else ""
        assert last == {"answer": f"Done{without}."}
    else:
        assert last == {"reason_code": "constraint_conflict", "evidence": goal["refusal"]["evidence"]}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_oracle_stays_within_its_steps(seed: int) -> None:
    company, calls = played(seed, "oracle")
    pages = sum("cursor" in action["arguments"] for action in calls)

    assert len(calls) - pages <= company.instance.oracle_steps


@pytest.mark.parametrize("agent", ["naive", "careful"])
def test_agents_that_trust_the_list_or_the_registers_alone_solve_nothing(agent: str) -> None:
    solved = [seed for seed in SEEDS if played(seed, agent)[0].is_solved and instance_of(seed).feasible]

    assert solved == []


@pytest.mark.parametrize("seed", SEEDS[:8])
def test_the_naive_agent_hands_over_in_the_order_of_the_list_and_raises_the_ticket_last(seed: int) -> None:
    _, calls = played(seed, "naive")
    change = change_of(seed)

    assert [(one["asset_id"], one["person_id"]) for one in called(calls, "datahub_assign_asset")] == [
        (move.asset["id"], move.to) for move in change.moves
    ]
    assert len(called(calls, "ticketdesk_update_ticket")) == change.keeps_high
    assert (calls[-1]["tool_name"], calls[-2]["tool_name"] == "ticketdesk_update_ticket") == (
        "finish",
        change.keeps_high,
    )


def test_a_careful_agent_that_refuses_names_no_policy_it_has_not_read() -> None:
    evidence = [
        calls[-1]["arguments"]["evidence"]
        for seed in SEEDS
        if (calls := played(seed, "careful")[1])[-1]["tool_name"] == "refuse"
    ]

    assert evidence
    assert all([one.partition("-")[0] for one in found] == ["AUT"] for found in evidence)


@pytest.mark.parametrize("raised", ["low", "medium"])
def test_a_priority_that_changed_late_is_set_again(raised: str) -> None:
    seed = next(one for one in SEEDS if change_of(one).keeps_high and instance_of(one).goal["cause"] == FOUR)
    company = SimulatedCompany(instance_of(seed))
    observation = first_observation(company.instance.brief, company.now)
    project = change_of(seed).project["id"]
    place = ("ticketdesk", "tickets", project)
    company.state = company.simulation.after(company.state, Act("priority", project, raised))

    _, calls = answered(SCENARIO._look_back(Asker(observation)), company)

    assert called(calls, "ticketdesk_update_ticket") == [{"ticket_id": project, "priority": "high"}]
    assert company.state.rows[place]["priority"] == "high"


def test_a_list_is_read_in_one_ticket_and_one_search() -> None:
    instance = instance_of(0)
    observation = first_observation(instance.brief, instance.start)

    known, calls = answered(read_list(Asker(observation), instance.brief), SimulatedCompany(instance))

    assert known is not None
    assert known.rules == []
    assert called(calls, "ticketdesk_get_ticket") == [{"ticket_id": known.project["id"]}]
    assert called(calls, "ticketdesk_search_tickets")[0]["q"] == f"for {change_of(0).codename}"
