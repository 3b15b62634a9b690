"""The background of a company: past tickets, metrics and averages that nothing in an episode can disturb."""

from functools import cache
from math import fsum
from typing import Any

import pytest

from companyos.sdk.company import (
    Cast,
    Company,
    Pack,
    cost_centre,
    fill,
    hire_cast,
    old_ticket,
    register_number,
    settle,
    somebody,
    unused_name,
)
from companyos.sdk.company.areas.library import Facts
from companyos.sdk.company.background import add_automations
from companyos.sdk.company.rows import Row
from scenarios.constrained_change.pack import PACK as CONSTRAINED
from scenarios.packs import engineering, finance, office, people
from scenarios.packs.finance import EXPENSE_APPROVAL

from .building import company


def staffed(seed: int = 0) -> tuple[Company, Cast]:
    built = company(seed)
    return built, hire_cast(built, persona_role="analyst", team="Purchasing", original=False)


@cache
def filled(seed: int = 0, size: int = 300) -> Company:
    """Return a company with its background; do not change it."""
    built = company(seed, size=size)
    fill(built, hire_cast(built, persona_role="analyst", team="Purchasing", original=False))
    return built


def record(built: Company) -> Row:
    return built.add_record("V-1", "vendor", "Acorn Supplies", {"cost_centre": "CC-123"}, "active")


@pytest.mark.parametrize(
    ("taken", "name"),
    [([], "Acorn"), (["Acorn Supplies"], "Acorn"), (["Acorn"], "Acorn V-9")],
    ids=["none", "a longer name", "the same"],
)
def test_a_name_that_is_taken_is_made_different_by_the_id(taken: list[str], name: str) -> None:
    built = company()
    for number, other in enumerate(taken):
        built.add_record(f"V-{number}", "vendor", other, {}, "active")

    assert unused_name(built, "Acorn", "V-9") == name


def test_a_cost_centre_and_a_register_number_have_their_form_for_every_draw() -> None:
    built = company()

    centres = {cost_centre(built, number) for number in range(200)}
    registered = {register_number(built, "T", number) for number in range(200)}

    assert all(one.startswith("CC-") and 100 <= int(one[3:]) <= 899 for one in centres)
    assert all(one[0] == "T" and len(one) == 9 and one[1:].isdigit() for one in registered)
    assert len(registered) == 200


def test_cost_centres_of_different_purposes_are_drawn_apart() -> None:
    built = company()

    assert [cost_centre(built, n) for n in range(9)] != [cost_centre(built, n, "other") for n in range(9)]


def test_somebody_may_be_anybody() -> None:
    built, cast = staffed()

    drawn = {somebody(built, "anybody", number).id for number in range(300)}

    assert drawn == {person.id for person in built.people}
    assert cast.persona.id in drawn


@pytest.mark.parametrize("number", range(40))
def test_an_old_ticket_is_at_one_stage_of_its_lifecycle(number: int) -> None:
    built, _ = staffed()

    ticket = old_ticket(built, number, "task", "Order chairs", record(built))

    assert ticket["status"] in {"new", "triage", "verified", "in_progress", "done", "closed"}
    assert (ticket["assignee"] is None) == (ticket["status"] == "new")
    assert (ticket["verified_by"] is None) == (ticket["status"] in {"new", "triage"})
    assert (ticket["verified_by"] is None) == (ticket["evidence"] is None)
    assert (ticket["resolution"] is not None) == (ticket["status"] == "closed")
    assert ticket["priority"] in ({None} if ticket["status"] == "new" else {"low", "medium"})


def test_an_old_ticket_has_the_cost_centre_of_its_record_or_one_of_its_own() -> None:
    built, _ = staffed()

    about = old_ticket(built, 1, "task", "Order chairs", record(built))
    free = old_ticket(built, 2, "task", "Order chairs", None)

    assert (about["subject"], about["cost_centre"]) == ("V-1", "CC-123")
    assert free["subject"] is None
    assert free["cost_centre"].startswith("CC-")


def test_a_kind_without_phrases_says_its_title_and_who_asked() -> None:
    built = company(packs=(office.PACK, CONSTRAINED))
    kind = next(one.id for one in CONSTRAINED.ticket_kinds if one.phrases is None)
    built.hire("Ada Moss", "clerk", "Hall")

    ticket = old_ticket(built, 1, kind, "Count the chairs", None)

    assert ticket["description"] == "Count the chairs. Asked for by Hall."


def test_remarks_are_at_most_two_and_the_colleagues_own_words() -> None:
    built, _ = staffed()

    for number in range(40):
        old_ticket(built, number, "task", "Order chairs", None)

    comments = built.rows["ticketdesk"]["comments"]
    assert {comment["id"].rpartition("-")[2] for comment in comments} == {"C1", "C2"}
    assert {comment["body"] for comment in comments} <= set(office.names.REMARKS)


@pytest.mark.parametrize(
    ("status", "requests"),
    [
        ("new", 0),
        ("triage", 0),
        ("verified", 0),
        ("in_progress", 1),
        ("done", 1),
        ("closed", 1),
        ("blocked", 0),
    ],
)
def test_only_a_ticket_that_work_has_begun_on_was_approved(status: str, requests: int) -> None:
    built, cast = staffed()
    columns: dict[str, Any] = {"status": status, "assignee": cast.worker.id}
    ticket = built.add_ticket("TD-1005", "expense", "Pay", "Pay.", cast.reporter, **columns)

    settle(built, cast, ticket, EXPENSE_APPROVAL, {"amount": 5.0})

    assert len(built.rows["approvalflow"]["requests"]) == requests
    assert ticket["approval"] == ("approved" if requests else "none")


@pytest.mark.parametrize("seed", range(3))
def test_every_metric_of_several_objects_has_one_average_and_no_other_has(seed: int) -> None:
    metrics = filled(seed).rows["datahub"]["metrics"]
    by_name: dict[str, list[Row]] = {}
    for row in metrics:
        if row["subject"] is not None:
            by_name.setdefault(row["name"], []).append(row)

    averages = {row["name"]: row for row in metrics if row["name"].startswith("average_")}

    assert set(averages) == {f"average_{name}" for name, listed in by_name.items() if len(listed) > 1}
    for name, row in averages.items():
        parts = by_name[name.removeprefix("average_")]
        assert row["value"] == round(fsum(part["value"] for part in parts) / len(parts), 2)
        assert row["upstream"] == sorted(part["id"] for part in parts)
        assert (row["subject"], row["unit"]) == (None, parts[0]["unit"])


def test_a_company_without_stories_is_as_small_as_its_people_make_it() -> None:
    built = company(packs=(office.PACK,), size=400)
    silent = [*built.content.stories]
    built.content.stories = ()

    fill(built, hire_cast(built, persona_role="coordinator", team="Sales", original=False))

    assert silent
    assert built.rows["datahub"]["metrics"] == []
    assert len(built.people) == 400 // 25


@pytest.mark.parametrize(("size", "staff"), [(60, 12), (300, 12), (324, 12), (325, 13), (1000, 40)])
def test_the_staff_grows_with_the_size_from_the_cast_on(size: int, staff: int) -> None:
    built = filled(size=size)

    assert len(built.people) == staff
    assert len(built.content.offices) + 2 == 12


def _numbered(built: Company, number: int) -> None:
    built.add_automation(
        "datahub",
        "asset.assigned",
        [],
        {"action": "return_asset", "with": {"asset": "$asset_id"}},
        name=f"Rule {number}",
        description="Takes it back.",
    )


def test_rules_that_are_added_later_continue_the_numbers_of_those_before() -> None:
    built = company(packs=(office.PACK, Pack("rules", automations=(_numbered,))))

    add_automations(built, 3)
    add_automations(built, 4)

    names = [row["name"] for row in built.rows["datahub"]["automations"]]
    assert names == [f"Rule {number}" for number in range(7)]


def test_packs_without_rules_give_a_company_none() -> None:
    built = company()

    add_automations(built, 30)

    assert built.automation_rules() == []


def test_the_facts_of_a_text_are_drawn_once_and_differ_between_texts() -> None:
    built, _ = staffed()
    text = "{thing} {days} {hours} {percent} {count} {amount} {weekday} {month} {quarter} {person} {team}"

    facts = Facts(built, ("a lamp", "a chair"), 4, 0)
    first, again = text.format_map(facts), text.format_map(facts)
    others = {text.format_map(Facts(built, ("a lamp", "a chair"), number)) for number in range(20)}

    assert first == again
    assert len(others) == 20


@pytest.mark.parametrize("number", range(12))
def test_the_facts_of_a_text_are_of_this_company_and_in_their_bounds(number: int) -> None:
    built, _ = staffed()
    facts = Facts(built, ("a lamp",), number)

    assert facts["person"] in {person.name for person in built.people}
    assert facts["team"] in {team for team, _ in built.content.teams}
    assert facts["thing"] == "a lamp"
    assert 2 <= int(facts["days"]) <= 30
    assert int(facts["hours"]) in range(4, 97, 2)
    assert int(facts["amount"]) in range(50, 4501, 50)
    assert 2 <= int(facts["percent"]) <= 25


def test_a_word_that_no_text_may_name_is_no_fact() -> None:
    built, _ = staffed()

    with pytest.raises(KeyError, match="salary"):
        "{salary}".format_map(Facts(built, (), 1))


def test_every_pack_of_the_background_has_left_something() -> None:
    kinds = {row["kind"] for row in filled(size=1000).rows["ticketdesk"]["tickets"]}

    assert kinds == {
        kind.id for pack in (office, finance, engineering, people) for kind in pack.PACK.ticket_kinds
    } | {
        "vendor_onboarding",
        "license",
    }
