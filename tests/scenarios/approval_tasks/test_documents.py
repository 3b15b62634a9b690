"""The documents of a case: what the builder writes is what the playbook reads, and drafts and old editions mislead."""

from typing import Any

import pytest

from companyos.sdk.approval_task import Employee
from companyos.sdk.approval_task.brief import write_brief
from companyos.sdk.approval_task.endings import TaskEnding
from companyos.sdk.approval_task.library import chapters_of, write_file, write_handbook
from companyos.sdk.company import Chapter, Person, Row
from companyos.sdk.scenario import Observation, find
from companyos.sdk.simtime import to_iso
from scenarios.packs import office

from .made import SMALL, START, builder_of, family, made

SEEDS = range(3)


def first_observation(text: str = "You are Ada Moss (ada.moss), analyst. Prepare TD-1042.") -> Observation:
    """Return what an agent is shown first."""
    return {"sim_now": to_iso(START), "text": text, "result": None, "error": None, "tools": []}


def documents(builder: Any, kind: str) -> list[Row]:
    return [row for row in builder.company.rows["datahub"]["documents"] if row["kind"] == kind]


def agrees(form: Row, record: Row) -> bool:
    return Employee(first_observation()).agrees(form, record)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("ending", TaskEnding)
def test_a_form_agrees_with_its_record_unless_the_case_goes_back(
    name: str, ending: TaskEnding, seed: int
) -> None:
    facts, _ = made(name, ending=ending, seed=seed)
    assert facts.form is not None

    assert agrees(facts.form, facts.record) is (ending is not TaskEnding.RETURNED)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", SMALL)
def test_the_superseded_form_always_differs_and_the_look_alikes_never(name: str, seed: int) -> None:
    facts, builder = made(name, seed=seed)
    records = {row["id"]: row for row in builder.company.rows["datahub"]["records"]}

    by_status = [
        (form["status"], form["links"][0], agrees(form, records[form["links"][0]]))
        for form in documents(builder, "form")
    ]

    assert sorted((status, fits) for status, _, fits in by_status) == [
        ("in_force", True),
        ("in_force", True),
        ("superseded", False),
    ]
    assert {about for _, about, _ in by_status} > {facts.record["id"]}


@pytest.mark.parametrize(
    "line",
    ["- tax id: T2", "- tax id: T", "- colour: red", "- tax id:  T1", "- country: None"],
    ids=["another value", "a part of it", "an unknown field", "a space more", "another field"],
)
def test_one_line_that_differs_is_enough(line: str) -> None:
    record = {"fields": {"tax_id": "T1", "country": "DE"}}
    body = "# Form: Acorn\n\nFilled in by Ada.\n\n- tax id: T1\n- country: DE"

    assert agrees({"body": body}, record)
    assert not agrees({"body": f"{body}\n{line}"}, record)


def lists(builder: Any, name: str, number: str) -> dict[str, bool]:
    """Return whether each edition of the exclusion list names the number."""
    title = family(name).profile.exclusions
    found = [row for row in documents(builder, "policy") if row["title"] == title]
    return {row["status"]: number in row["body"].split() for row in found}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("ending", TaskEnding)
def test_only_the_list_in_force_says_whether_a_case_is_on_hold(
    name: str, ending: TaskEnding, seed: int
) -> None:
    facts, builder = made(name, ending=ending, seed=seed)
    number = facts.record["fields"][facts.mark]

    assert lists(builder, name, number) == {
        "superseded": False,
        "in_force": ending is TaskEnding.FORBIDDEN,
        "draft": True,
    }


def test_every_edition_of_the_list_is_equally_long_so_that_its_length_tells_nothing() -> None:
    lengths = set()
    for ending in TaskEnding:
        _, builder = made("expense_report", ending=ending)
        title = family("expense_report").profile.exclusions
        lengths |= {
            row["body"].count("\n- ") for row in documents(builder, "policy") if row["title"] == title
        }

    assert lengths == {4}


def test_a_family_without_forms_has_no_documents_to_write_or_to_read() -> None:
    builder = builder_of("expense_report")
    facts = family("expense_report").facts(builder)
    profile = find("expense_report").profile  # type: ignore[attr-defined]
    without = type(profile)(**{**vars(profile), "form": "", "exclusions": ""})

    same = write_file(facts, builder, without)
    asks = list(Employee(first_observation()).settled_by_documents(without, "TD-1", facts.record))

    assert same is facts
    assert builder.company.rows["datahub"]["documents"] == []
    assert asks == []


OWN = Chapter("Trips", "Trips are paid.")


def handbook(*chapters: Chapter) -> list[Row]:
    builder = builder_of("expense_report")
    write_handbook(builder, chapters or chapters_of(builder, OWN))
    return documents(builder, "handbook")


def test_every_chapter_has_one_edition_in_force_which_links_to_all_others_in_force() -> None:
    written = handbook()

    in_force = [row for row in written if row["status"] == "in_force"]

    titles = [f"Handbook: {chapter.title}" for chapter in (*office.PACK.chapters, OWN)]
    assert [row["title"] for row in in_force] == titles
    for row in in_force:
        assert set(row["links"]) == {other["id"] for other in in_force} - {row["id"]}


def test_the_tasks_own_chapter_names_the_general_ones_and_no_other_does() -> None:
    general = "; ".join(chapter.title for chapter in office.PACK.chapters)

    naming = [row["title"] for row in handbook() if general in row["body"]]

    assert naming == ["Handbook: Trips"]


PEOPLE = [
    Person("ada.moss", "Ada Moss", "people_partner", "People"),
    Person("ben.reed", "Ben Reed", "cook", "Hall"),
]


def test_a_brief_tells_who_one_is_and_who_asks() -> None:
    ada, ben = PEOPLE

    brief = write_brief("Kestrel", ada, ben, "Renew it, ticket TD-7.")

    assert brief.startswith("You are Ada Moss (ada.moss), people partner in the People team of Kestrel.")
    assert brief.endswith("\n\nBen Reed")
    me = Employee(first_observation(brief))
    assert (me.id, me.ticket_id) == ("ada.moss", "TD-7")
