"""A document can decide a case: the ticket is returned, or the task refused, whatever the metric."""

from dataclasses import dataclass
from functools import cache
from typing import Any

import pytest

from companyos.sdk.approval_task import TaskFacts
from companyos.sdk.scenario import Action, Instance, Scenario, call, find
from tests.families import SOME_APPROVAL_TASKS

from .conftest import instance_of
from .play import carry_out, changed, solution, without, without_finish

ENDINGS = ("returned", "forbidden")


@dataclass(frozen=True)
class EndingCase:
    """An instance that its documents settle, and its usual counterpart."""

    scenario: Scenario
    seed: int

    @property
    def instance(self) -> Instance:
        return instance_of(self.scenario, self.seed)

    @property
    def facts(self) -> TaskFacts:
        facts: TaskFacts = self.instance.facts
        return facts

    def plan(self, url: str) -> list[Action]:
        return without_finish(solution(url, self.scenario, self.seed))

    def documents(self, **columns: Any) -> list[dict[str, Any]]:
        rows = self.instance.rows["datahub"]["documents"]
        return [dict(row) for row in rows if columns.items() <= row.items()]

    def draft(self) -> dict[str, Any]:
        """The next edition of the list that says what cannot be done."""
        [in_force] = self.documents(id=self.facts.exclusions["id"])
        [draft] = self.documents(title=in_force["title"], status="draft")
        return draft


@cache
def case(name: str, ending: str) -> EndingCase:
    scenario = find(name)
    seeds = range(2, 80)
    seed = next(seed for seed in seeds if instance_of(scenario, seed).cause == ending)
    return EndingCase(scenario, seed)


def asks_for_approval(instance: Instance) -> bool:
    return any(one.name == "approved" for one in instance.milestones)


def failed(episode: Any) -> set[str]:
    grade = episode.grade
    return {
        *(must["name"] for must in grade["musts"] if not must["holds"]),
        *(one["name"] for one in (*grade["forbidden"], *grade["orders"]) if not one["kept"]),
    }


@pytest.mark.proof
@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_about_one_seed_in_eight_cannot_be_done_and_three_endings_or_more_are_right(name):
    instances = [instance_of(find(name), seed, size="small") for seed in range(64)]

    infeasible = sum(not instance.feasible for instance in instances)
    endings = {(instance.cause, asks_for_approval(instance)) for instance in instances}
    assert 2 <= infeasible <= 16
    assert len(endings) >= 3


@pytest.mark.proof
@pytest.mark.parametrize("ending", ENDINGS)
@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_one_document_tells_a_case_from_its_counterpart(name, ending):
    found = case(name, ending)
    other = EndingCase(found.scenario, found.seed ^ 1)
    theirs = other.documents()

    assert other.instance.cause not in ENDINGS
    assert found.instance.rows["datahub"]["sources"] == other.instance.rows["datahub"]["sources"]
    [(one, another)] = [pair for pair in zip(found.documents(), theirs, strict=True) if pair[0] != pair[1]]
    assert {column for column in one if one[column] != another[column]} == {"body"}
    assert one["status"] == "in_force"


@pytest.mark.proof
@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_a_draft_forbids_the_case_and_an_old_form_contradicts_it_always(name):
    for seed in (3, 6, 9):
        found = EndingCase(find(name), seed)
        record = next(
            row for row in found.instance.rows["datahub"]["records"] if row["id"] == found.facts.record["id"]
        )
        number = str(record["fields"][found.scenario.profile.mark])
        draft = found.draft()
        forms = [row for row in found.documents(kind="form") if record["id"] in row["links"]]

        assert number in draft["body"].split()
        assert sorted(form["status"] for form in forms) == ["in_force", "superseded"]
        stated = [line for line in forms[0]["body"].splitlines() if line.startswith("- ")]
        assert stated != [line for line in forms[1]["body"].splitlines() if line.startswith("- ")]


@pytest.mark.proof
@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_the_brief_is_a_colleagues_and_the_rules_stand_in_the_handbook(name):
    instance = instance_of(find(name), 5)
    documents = instance.rows["datahub"]["documents"]
    titles = {row["title"] for row in documents if row["status"] == "in_force"}
    bodies = [row["body"] for row in documents if row["kind"] == "handbook" and row["status"] == "in_force"]

    assert len(instance.brief.split()) <= 120
    assert set(instance.guidance.pointers) <= titles
    rules = [line for line in instance.guidance.rules.splitlines() if line[:1].isdigit()]
    assert all(any(rule.split(". ", 1)[1] in body for body in bodies) for rule in rules)
    assert not any(rule.split(". ", 1)[1] in instance.brief for rule in rules)


@pytest.mark.parametrize("name", ["expense_report", "license_renewal"])
def test_a_case_that_goes_back_is_neither_refused_nor_verified_nor_returned_twice(url, name):
    found = case(name, "returned")
    facts = found.facts
    refuse = call(
        "refuse", reason_code="policy_forbids", evidence=[facts.exclusions["id"], facts.record["id"]]
    )
    prepared = [
        action
        for action in without_finish(solution(url, found.scenario, found.seed ^ 1))
        if not action["tool_name"].startswith("approvalflow")
    ]

    assert not carry_out(url, found.scenario, found.seed, [refuse]).success
    episode = carry_out(url, found.scenario, found.seed, [*prepared, *found.plan(url)])
    assert "verified_in_spite" in failed(episode)
    again = call("ticketdesk_reopen_ticket", ticket_id=facts.ticket["id"], reason="Once more.")
    assert not carry_out(url, found.scenario, found.seed, [*found.plan(url), again]).success


@pytest.mark.parametrize("name", ["bug_escalation", "vendor_onboarding"])
def test_a_refusal_names_the_list_in_force_that_was_read_and_the_record(url, name):
    found = case(name, "forbidden")
    plan, facts = found.plan(url), found.facts
    draft = found.draft()
    wrong = changed(plan, "refuse", evidence=[draft["id"], facts.record["id"]])

    assert carry_out(url, found.scenario, found.seed, plan).success
    assert not carry_out(url, found.scenario, found.seed, wrong).success
    assert not carry_out(url, found.scenario, found.seed, without(plan, "datahub_get_document")).success
    assert not carry_out(url, found.scenario, found.seed, changed(plan, "refuse", reason_code="done")).success
    assert not carry_out(url, found.scenario, found.seed, plan[:-1]).success


@pytest.mark.proof
@pytest.mark.parametrize("name", SOME_APPROVAL_TASKS)
def test_the_chapter_of_a_task_leads_to_what_the_handbook_says_of_every_case(name):
    scenario = find(name)
    documents = instance_of(scenario, 2).rows["datahub"]["documents"]
    chapters = {
        row["id"]: row
        for row in documents
        if row["title"].startswith("Handbook: ") and row["status"] == "in_force"
    }
    [own] = [row for row in chapters.values() if row["title"] == f"Handbook: {scenario.title}"]
    titles = {row["title"].removeprefix("Handbook: ") for row in chapters.values() if row is not own}

    assert len(titles) > 4
    assert all(title in own["body"] for title in titles)
    assert all({key, *row["links"]} == set(chapters) for key, row in chapters.items())
    assert "`finish` ends it" in next(row["body"] for row in chapters.values() if "Evidence" in row["title"])
