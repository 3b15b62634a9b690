"""The documents of an off-boarding, read by the oracle's own patterns: checklist, form, systems and minutes."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from companyos.company import Company, Row
from companyos.sdk.draws import Draws
from scenarios.offboarding.documents import (
    ABSENT_MANAGER,
    CHECKLIST,
    CLOSERS,
    FORM,
    LAST_NAMED,
    LEAVERS_MANAGER,
    MANAGER,
    PRIORITIES,
    REASONS,
    RETENTION,
    SENIOR,
    SYSTEMS,
    Rules,
    draw_rules,
    write_handbook,
    write_handover,
    write_retention,
    write_systems,
)
from scenarios.offboarding.playing import _DOCUMENT, _rules

from .drawn import founded

RULES = st.builds(
    Rules,
    heir=st.sampled_from([MANAGER, SENIOR, LAST_NAMED]),
    delegate=st.sampled_from([LEAVERS_MANAGER, ABSENT_MANAGER]),
    closer=st.sampled_from(CLOSERS),
    priority=st.sampled_from(PRIORITIES),
    reason=st.sampled_from(REASONS),
)
SOME = Rules(MANAGER, LEAVERS_MANAGER, "hr_lead", "low", "legal_hold")
OTHER = Rules(SENIOR, ABSENT_MANAGER, "controller", "medium", "under_hold")


def documents(company: Company, title: str) -> list[Row]:
    return [row for row in company.rows["datahub"]["documents"] if row["title"] == title]


def successors(form: Row) -> list[tuple[str, str]]:
    return [(line["project"], line["person"]) for line in FORM.read(form["body"])["successors"]]


def handbook(rules: Rules, before: Rules) -> dict[str, Row]:
    """Return the editions of a checklist by status."""
    company, cast = founded()
    write_handbook(company, cast.offices["hr_lead"], rules, before)
    return {row["status"]: row for row in documents(company, CHECKLIST)}


@settings(max_examples=25)
@given(RULES)
def test_a_checklist_is_read_as_it_was_written(rules: Rules) -> None:
    assert _rules(handbook(rules, SOME)["in_force"]["body"]) == rules


@settings(max_examples=25)
@given(RULES)
def test_former_checklist_is_not_read(rules: Rules) -> None:
    assert _rules(handbook(rules, SOME)["in_force"]["body"]) == _rules(
        handbook(rules, OTHER)["in_force"]["body"]
    )


def test_a_draft_decides_nothing() -> None:
    with pytest.raises(LookupError, match="not of the form"):
        _rules(handbook(SOME, OTHER)["draft"]["body"])


def test_a_checklist_has_a_former_edition_and_a_draft_of_the_next() -> None:
    editions = handbook(SOME, OTHER)

    assert list(editions) == ["superseded", "in_force", "draft"]
    assert [row["supersedes"] for row in editions.values()] == [
        None,
        editions["superseded"]["id"],
        editions["in_force"]["id"],
    ]
    written = [row["written_at"] for row in editions.values()]
    assert written == sorted(written)


def test_a_former_checklist_revokes_access_first_and_purges() -> None:
    editions = handbook(SOME, OTHER)

    assert "Revoke all access first" in editions["superseded"]["body"]
    assert "Purge the account" in editions["superseded"]["body"]
    assert "Access goes last" in editions["in_force"]["body"]
    assert "never purge it" in editions["in_force"]["body"]


@given(st.integers(0, 10_000))
def test_a_former_checklist_says_everything_otherwise(seed: int) -> None:
    rules, former = (vars(one) for one in draw_rules(Draws("test", seed)))

    assert not [point for point in rules if rules[point] == former[point]]


def test_every_answer_to_every_point_is_drawn() -> None:
    drawn = [draw_rules(Draws("test", seed))[0] for seed in range(120)]

    assert {one.heir for one in drawn} == {MANAGER, SENIOR, LAST_NAMED}
    assert {one.delegate for one in drawn} == {LEAVERS_MANAGER, ABSENT_MANAGER}
    assert {one.closer for one in drawn} == set(CLOSERS)
    assert {one.priority for one in drawn} == set(PRIORITIES)
    assert {one.reason for one in drawn} == set(REASONS)


def test_every_role_that_may_close_a_ticket_is_held_by_one_person() -> None:
    company, cast = founded()

    holders = [
        [row["id"] for row in company.rows["datahub"]["people"] if row["role"] == one] for one in CLOSERS
    ]

    assert holders == [[cast.offices[role].id] for role in CLOSERS]


def form() -> tuple[list[Row], list[tuple[str, str]]]:
    """Return both editions of a handover form, and the projects with those who take over."""
    company, cast = founded()
    people = [cast.offices[role] for role in ("hr_lead", "controller")]
    projects = [
        company.add_record(f"PRJ-{number}", "project", f"Harbor (PRJ-{number})", {}, "active")
        for number in (101, 102)
    ]
    write_handover(company, cast.persona, list(zip(projects, people, strict=True)))
    named = [(row["id"], person.name) for row, person in zip(projects, people, strict=True)]
    return documents(company, f"Handover form of {cast.persona.name}"), named


def test_a_handover_form_is_read_as_it_was_written() -> None:
    (_, in_force), named = form()

    assert in_force["status"] == "in_force"
    assert successors(in_force) == named
    assert in_force["links"] == [project for project, _ in named]


def test_an_earlier_form_names_the_same_people_for_other_projects() -> None:
    (former, in_force), named = form()

    earlier = successors(former)

    assert (former["status"], in_force["supersedes"]) == ("superseded", former["id"])
    assert [project for project, _ in earlier] == [project for project, _ in named]
    assert [name for _, name in earlier] == [name for _, name in named][::-1]


def test_the_systems_of_a_team_are_on_one_line() -> None:
    company, cast = founded()

    write_systems(company, cast.persona, {"Data": ("crm", "notebooks"), "Sales": ("crm",)})

    [document] = documents(company, SYSTEMS)
    assert [line for line in document["body"].splitlines() if line.startswith("- ")] == [
        "- Data: crm, notebooks",
        "- Sales: crm",
    ]


def test_the_minutes_of_an_audit_name_one_day_and_are_found_by_their_id() -> None:
    company, cast = founded()

    row = write_retention(company, cast.persona, cast.reporter, "ledger_archive", "2030-05-01")

    assert RETENTION.read(row["body"])["until"] == "2030-05-01"
    assert cast.reporter.name in row["body"]
    assert _DOCUMENT.findall(f"For the audit: see {row['id']}.") == [row["id"]]


@pytest.mark.parametrize("text", ["DOC-", "XDOC-12", "DOC-12a", "doc-12"])
def test_a_note_that_names_no_document_is_not_taken_for_one(text: str) -> None:
    assert _DOCUMENT.search(text) is None
