"""What an agent finds out about a company by its tools is what was written."""

import json
from collections.abc import Iterable
from functools import cache

import pytest

from companyos.company.areas.automations import rule_of
from companyos.scenario import Instance
from companyos.sdk.automations import Rule
from scenarios.constrained_change.reading import Known, read_everything
from scenarios.constrained_change.scenario import SCENARIO

from ..conftest import instance_of
from ..play import find_out
from .changes import behind

SEEDS = range(3)


@cache
def read_company(url: str, seed: int) -> Known:
    """Return what an agent finds out in an instance."""
    return find_out(url, SCENARIO, seed, lambda me: read_everything(me, me.text))


def all_rules(instance: Instance) -> list[Rule]:
    """Return every rule that the services run, those that are paused from when they resume."""
    found = []
    for service, tables in instance.rows.items():
        resumes = {row["automation_id"]: row["at"] for row in tables["automation_changes"]}
        for row in tables["automations"]:
            resumed = {"paused": False, "active_from": resumes[row["id"]]} if row["id"] in resumes else {}
            found.append(rule_of(service, {**row, **resumed}))
    return found


def text_of(rule: Rule) -> str:
    """Return what decides what a rule does; its id differs where a document states it."""
    return json.dumps([rule.service, rule.trigger, rule.when, rule.do], sort_keys=True)


def timed(rules: Iterable[Rule]) -> set[str]:
    """Return when the rules of the two services run, of those that do not always."""
    return {
        json.dumps([one.do, one.active_from, one.active_until, one.paused], sort_keys=True)
        for one in rules
        if one.service in ("datahub", "ticketdesk") and (one.active_from or one.active_until or one.paused)
    }


@pytest.mark.parametrize("seed", SEEDS)
def test_the_start_of_a_task_is_known_as_it_is_in_the_company(url: str, seed: int) -> None:
    known, change = read_company(url, seed), behind(seed // 2, instance_of(SCENARIO, seed).cause)

    start = {key: row["holder"] for (_, table, key), row in change.begun.rows.items() if table == "assets"}
    assert list(known.wanted.items()) == [(move.asset["id"], move.to) for move in change.moves]
    assert {one: row["id"] for one, row in known.tickets.items()} == {
        move.asset["id"]: move.ticket["id"] for move in change.moves
    }
    assert (known.all_or_nothing, known.oncall) == (change.all_or_nothing, change.oncall.id)
    assert {row["id"]: row["holder"] for row in known.assets.values()} == start
    assert {*known.levels} >= {move.to for move in change.moves}
    assert known.values == change.begun.values
    assert known.policy is not None
    assert known.policy["id"] == change.papers[0]["id"]


@pytest.mark.parametrize("seed", SEEDS)
def test_every_rule_of_the_task_is_found_and_none_that_does_not_run(url: str, seed: int) -> None:
    known, instance = read_company(url, seed), instance_of(SCENARIO, seed)
    task = {row["id"] for _, row in behind(seed // 2, instance.cause).goal_rules}

    relevant = [text_of(rule) for rule in known._relevant()]
    running = {text_of(rule): rule for rule in all_rules(instance)}

    assert {name for name, rule in running.items() if rule.id in task} <= {*relevant} <= {*running}
    assert len(relevant) == len({*relevant})
    assert timed(known.rules) == timed(all_rules(instance))
