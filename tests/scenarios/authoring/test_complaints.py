"""The conformance suite tells an author in words what a scenario does not keep."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from companyos.evaluation.conformance import Sample, check_instances
from companyos.sdk.scenario import (
    Check,
    ExpectedRefusal,
    Forbidden,
    InjectedFault,
    Instance,
    Milestone,
    NamedAnswers,
    NumberAnswer,
    Persona,
    Scenario,
    load_scenario,
)
from tests.sizes import size

HANDOVER = Path(__file__).parents[1] / "outside" / "handover"
SMALL = Sample(seeds=4, closely=4, levels=(0,), elsewhere=False)


class Spoilt(Scenario):
    """A sound scenario, of whose instances something is changed."""

    name, version, title, summary = "handover", 1, "Handover", "Hand tickets over."

    def __init__(self, change: Callable[[Instance], Instance]) -> None:
        self.sound = load_scenario(HANDOVER)
        self.change = change

    def generate(self, *arguments: Any) -> Instance:
        return self.change(self.sound.generate(*arguments))

    def oracle(self, observation):
        return self.sound.oracle(observation)


def complaints(scenario: Scenario, sample: Sample = SMALL) -> dict[str, str]:
    """Return what is held against a scenario, by claim; its card, which is the test's, is left out."""
    return {
        verdict.claim: "\n".join(verdict.complaints)
        for verdict in check_instances(scenario, sample)
        if not verdict.passed and "README.md" not in verdict.claim
    }


def holds(view):
    return True


def is_titled(view):
    return all(
        view.row("ticketdesk", "tickets", one["id"])["title"]
        for one in view.initial.rows("ticketdesk", "tickets")
    )


def leaves(view):
    raise SystemExit("gone")


def of_first(service: str, table: str, **columns: Any) -> Callable[[Instance], Instance]:
    """Return the change of some columns of a table's first row."""

    def change(instance: Instance) -> Instance:
        first, *others = instance.rows[service][table]
        tables = {**instance.rows[service], table: [{**first, **columns}, *others]}
        return replace(instance, rows={**instance.rows, service: tables})

    return change


def with_a_kind_of_ticket(**columns: Any) -> Callable[[Instance], Instance]:
    """Return the addition of the kind `task`, whose first ticket is closed without `cost_centre`."""
    close = of_first("ticketdesk", "tickets", kind="task", status="closed", cost_centre=None)
    kind = {"id": "task", "name": "Task", "allowed": ["low"], "verifier_roles": [], **columns}

    def change(instance: Instance) -> Instance:
        closed = close(instance)
        tables = {**closed.rows["ticketdesk"], "ticket_kinds": [kind]}
        return replace(closed, rows={**closed.rows, "ticketdesk": tables})

    return change


def with_a_record(**columns: Any) -> Callable[[Instance], Instance]:
    """Return the addition of a record."""

    def change(instance: Instance) -> Instance:
        record = {"id": "LOT-1", "kind": "lot", "name": "Lot 1", "fields": {}, **columns}
        datahub = instance.rows["datahub"]
        tables = {**datahub, "records": [*datahub.get("records", ()), record]}
        return replace(instance, rows={**instance.rows, "datahub": tables})

    return change


@pytest.mark.proof
def test_a_sound_scenario_has_no_complaints_at_any_level():
    seeds = size(20, 200)

    results = list(check_instances(load_scenario(HANDOVER), Sample(seeds)))

    first = f"Seeds 0 to {seeds - 1} generate at levels 0 to 5"
    assert [verdict for verdict in results if not verdict.passed] == []
    assert any(verdict.claim.startswith(first) for verdict in results)


@pytest.mark.parametrize(
    ("change", "claim", "complaint"),
    [
        (
            lambda it: replace(it, brief=it.brief.replace(it.persona.id, "you")),
            "The brief names the persona, and does not mention the grading",
            "seed 0, level 0: the brief does not name the agent's persona",
        ),
        (
            lambda it: replace(it, brief=it.brief + " Beware of chaos and the reward."),
            "The brief names the persona, and does not mention the grading",
            "the brief mentions the environment: 'chaos'",
        ),
        (
            lambda it: replace(it, brief=f"{it.brief} {it.private[0]}"),
            "The brief reveals no private fact",
            "the brief reveals 'MET-",
        ),
        (
            lambda it: replace(it, cause=""),
            "The goal names the hidden cause",
            "`cause` does not name the hidden cause",
        ),
        (
            lambda it: replace(it, milestones=(Milestone("there", 1.0, holds),)),
            "Nothing is earned, broken or solved before the first step",
            "milestone there holds at the start",
        ),
        (
            lambda it: replace(it, musts=(Check("there", holds, "It is."),), refusal=None),
            "Nothing is earned, broken or solved before the first step",
            "finishing immediately succeeds",
        ),
        (
            lambda it: replace(it, forbidden=(Forbidden("broken", holds, "It is."),)),
            "Nothing is earned, broken or solved before the first step",
            "broken is broken at the start",
        ),
        (
            lambda it: replace(it, milestones=(Milestone("much", float("inf"), lambda view: False),)),
            "Milestones are worth less than success",
            "milestone much is worth inf",
        ),
        (
            lambda it: replace(it, musts=(*it.musts, *it.musts)),
            "Every graded fact has a unique name",
            "2 musts are called workload_known",
        ),
        (
            lambda it: replace(it, max_steps=it.oracle_steps),
            "The horizon gives the oracle at least 50 % spare steps",
            "steps need",
        ),
        (
            lambda it: replace(it, faults=(InjectedFault("biz.nonsense", (), (), holds, 1),)),
            "Its business faults are in the catalog",
            "'biz.nonsense' is not a business fault",
        ),
        (
            lambda it: replace(it, refusal=ExpectedRefusal(())),
            "An infeasible task can be refused",
            "its refusal has no reason codes",
        ),
        (
            with_a_record(status="used_up"),
            "Every row fits the columns of its table",
            "datahub.records LOT-1: status is 'used_up', which is none of pending, active, inactive",
        ),
        (
            lambda it: replace(it, answer=NumberAnswer(3.0, "pieces" if it.seed % 2 else "boxes")),
            "The answers of a pair have the same units",
            "the unit of the answer differs: 'boxes' and 'pieces'",
        ),
        (
            lambda it: replace(
                it, answer=NamedAnswers({"weight": NumberAnswer(3.0, "kg" if it.seed % 2 else "t")})
            ),
            "The answers of a pair have the same units",
            "the unit of the answer's weight differs: 't' and 'kg'",
        ),
        (
            lambda it: replace(it, musts=(Check("titled", is_titled, "It has a title."),)),
            "Whatever is erased, the rest can be graded",
            "titled cannot be judged: TypeError",
        ),
        (
            lambda it: replace(it, milestones=(Milestone("gone", 1.0, leaves),)),
            "Whatever is erased, the rest can be graded",
            "gone cannot be judged: SystemExit: gone",
        ),
        (
            of_first("datahub", "metrics", color="red"),
            "Every row fits the columns of its table",
            "has the unknown columns color",
        ),
        (
            of_first("datahub", "metrics", value="many"),
            "Every row fits the columns of its table",
            "value is 'many', which is not a float | None",
        ),
        (
            of_first("ticketdesk", "tickets", assignee="no.body"),
            "Ids are unique and references resolve",
            "has the assignee no.body, which does not exist",
        ),
        (
            with_a_kind_of_ticket(required_fields=["cost_centre"]),
            "What was closed keeps the rules of its kind",
            "is closed without cost_centre",
        ),
        (
            lambda it: replace(it, persona=Persona("no.body", "No Body", "agent")),
            "Ids are unique and references resolve",
            "the persona no.body is not in datahub.people",
        ),
        (
            lambda it: replace(it, brief=f"{it.brief} {'Even' if it.seed % 2 == 0 else 'Odd'}"),
            "A pair looks alike at first",
            "brief differs: ",
        ),
        (
            lambda it: replace(it, cause="always the same"),
            "A pair differs in a hidden cause",
            "both have the cause 'always the same'",
        ),
        (
            lambda it: replace(it, rows={}),
            "A pair differs in a hidden cause",
            "no agent can tell them apart",
        ),
    ],
)
def test_broken_claims_of_an_instance_are_reported(change, claim, complaint):
    assert complaint in complaints(Spoilt(change))[claim]


def without_first(service: str, table: str, column: str) -> Callable[[Instance], Instance]:
    """Return the removal of a column from a table's first row."""

    def change(instance: Instance) -> Instance:
        first, *others = instance.rows[service][table]
        left = {name: value for name, value in first.items() if name != column}
        tables = {**instance.rows[service], table: [left, *others]}
        return replace(instance, rows={**instance.rows, service: tables})

    return change


def test_a_column_with_a_default_may_be_left_out_as_services_complete_it():
    left_out = complaints(Spoilt(without_first("ticketdesk", "tickets", "blocked_by")))

    assert left_out == {}


def test_a_column_without_a_default_may_not_be_left_out():
    told = complaints(Spoilt(without_first("ticketdesk", "tickets", "title")))

    assert "lacks title" in told["Every row fits the columns of its table"]


def test_errors_in_generate_are_reported_with_their_line_for_each_seed():
    def change(instance: Instance) -> Instance:
        raise (SystemExit(3), ValueError("no route"), GeneratorExit, KeyError("amount"))[instance.seed]

    [(claim, told)] = complaints(Spoilt(change)).items()

    assert claim == "Seeds 0 to 3 generate at level 0, reproducibly"
    assert "seed 3, level 0: KeyError: 'amount'" in told
    assert f"({__file__}:" in told
    assert "seed 0, level 0: SystemExit: 3" in told
    assert "seed 1, level 0: ValueError: no route" in told
    assert "seed 2, level 0: GeneratorExit: " in told


def test_an_instance_that_comes_out_different_the_second_time_is_told():
    counted = iter(range(100))

    told = complaints(Spoilt(lambda it: replace(it, start=it.start + next(counted))))

    assert "generating it twice gives two instances" in told["Seeds 0 to 3 generate at level 0, reproducibly"]


def test_complaints_are_few_and_the_others_are_counted():
    told = complaints(
        Spoilt(lambda it: replace(it, brief="")), Sample(seeds=20, closely=2, levels=(0,), elsewhere=False)
    )

    [claim] = [claim for claim in told if claim.startswith("The brief names")]
    assert len(told[claim].splitlines()) == 6
    assert told[claim].endswith("… and 15 more like these")


def test_a_scenario_that_does_not_present_itself_is_told():
    nameless = Spoilt(lambda it: replace(it, scenario="No Name", version=0))
    nameless.name, nameless.version, nameless.title, nameless.summary = "No Name", 0, "", ""

    told = {verdict.claim: " ".join(verdict.complaints) for verdict in check_instances(nameless, SMALL)}

    presented = told["It has a name, a version, a title and a summary"]
    assert all(part in presented for part in ("'No Name'", "version 0", "no title", "no summary"))
    assert "README.md is missing" in told["Its environment card (README.md) has every section"]


def test_an_order_that_differs_between_processes_is_told(tmp_path):
    folder = tmp_path / "handover"
    shutil.copytree(HANDOVER, folder, ignore=shutil.ignore_patterns("__pycache__"))
    code = (folder / "scenario.py").read_text(encoding="utf-8")
    ordered, unordered = (
        "brief=facts.brief,",
        'brief=facts.brief + ", ".join({"ada", "bo", "cy", "di", "ed"}),',
    )
    assert ordered in code
    (folder / "scenario.py").write_text(code.replace(ordered, unordered), encoding="utf-8")

    results = list(check_instances(load_scenario(folder), Sample(seeds=4, closely=0, levels=(0,))))

    [failed] = [verdict for verdict in results if not verdict.passed]
    assert failed.claim == "Other processes, with other hash seeds, generate the same"
    assert "is an unordered set listed?" in failed.complaints[0]
