"""What is held about a customer: ages on which editions disagree, and a file from which all may go."""

from functools import cache

import pytest

from companyos.company import Cast
from companyos.sdk.draws import Draws
from scenarios.erasure_request.dossier import Dossier, Filing, file_namesake
from scenarios.erasure_request.files import Customer, FileWriter
from scenarios.erasure_request.terms import DATED, ERASE, REDACT, Terms, draw_terms
from scenarios.erasure_request.words import FORMS
from tests.scenarios.conftest import SALT

from .registered import staffed

SEEDS = range(80)
MARGIN = 60


@cache
def filed(seed: int, *, is_clean: bool = False) -> tuple[Dossier, tuple[Terms, Terms], FileWriter, Customer]:
    """Return what is held about a customer, the terms, the writer and the customer."""
    company, cast = staffed(seed)
    files = FileWriter(company, company.numbers.reserve, cast.reporter)
    customer, terms = files.customer(), draw_terms(Draws(SALT, "terms", seed))
    dossier = Filing(files, cast, terms, is_clean=is_clean).file(customer, files.customer())
    return dossier, terms, files, customer


def kinds(dossier: Dossier) -> list[str]:
    return [one.kind for one in dossier.held]


def namesakes(seed: int) -> tuple[frozenset[str], FileWriter, Cast]:
    company, cast = staffed(seed)
    files = FileWriter(company, company.numbers.reserve, cast.reporter)
    return file_namesake(files, files.customer()), files, cast


def test_every_file_has_the_record_an_order_and_a_form() -> None:
    for seed in SEEDS:
        dossier, _, _, _ = filed(seed)

        assert kinds(dossier)[0] == "customer"
        assert 1 <= kinds(dossier).count("order") <= 2
        assert kinds(dossier).count("invoice") <= kinds(dossier).count("order")
        assert set(kinds(dossier)) & set(FORMS)


def test_the_file_has_no_more_objects_than_the_oracle_has_steps_for() -> None:
    sizes = {len(filed(seed)[0].held) for seed in SEEDS}

    assert min(sizes) >= 3
    assert max(sizes) <= 16
    assert len(sizes) > 5


def test_objects_are_filed_once() -> None:
    for seed in SEEDS:
        ids = [one.id for one in filed(seed)[0].held]

        assert len(set(ids)) == len(ids)


def test_each_object_has_the_treatment_of_the_schedule_in_force() -> None:
    for seed in SEEDS:
        dossier, (now, _), _, _ = filed(seed)

        assert dossier.modes == {one.id: now.mode(one.kind, one.age_days) for one in dossier.held}


def test_special_are_the_records_of_the_kinds_in_force_and_not_of_former_ones() -> None:
    once = 0
    for seed in SEEDS:
        dossier, (now, before), _, _ = filed(seed)
        once += bool(set(kinds(dossier)) & before.special)

        assert dossier.special == {one.id for one in dossier.held if one.kind in now.special}
    assert once > 0


def test_some_files_have_no_special_record_some_one_and_some_two() -> None:
    assert {len(filed(seed)[0].special) for seed in SEEDS} == {0, 1, 2}


@pytest.mark.parametrize("kind", sorted(DATED))
def test_an_age_is_never_near_a_limit_of_either_edition(kind: str) -> None:
    for seed in SEEDS:
        dossier, terms, _, _ = filed(seed)
        for held in (one for one in dossier.held if one.kind == kind):
            assert held.age_days is not None
            assert all(abs(held.age_days - 365 * edition.years[kind]) >= MARGIN for edition in terms)


@pytest.mark.parametrize("kind", sorted(DATED))
def test_the_editions_often_disagree_about_a_dated_object_and_both_treatments_occur(kind: str) -> None:
    modes, disagreeing, total = set[str](), 0, 0
    for seed in SEEDS:
        dossier, (now, before), _, _ = filed(seed)
        for held in (one for one in dossier.held if one.kind == kind):
            modes.add(now.mode(kind, held.age_days))
            disagreeing += now.mode(kind, held.age_days) != before.mode(kind, held.age_days)
            total += 1

    assert modes == {ERASE, REDACT}
    assert 0.25 < disagreeing / total < 0.75


def test_everything_may_go_from_a_clean_file() -> None:
    for seed in SEEDS:
        dossier, (now, _), _, _ = filed(seed, is_clean=True)

        assert set(dossier.modes.values()) == {ERASE}
        assert not {"minutes", "goodwill"} & set(kinds(dossier))
        if now.modes["letter"] == REDACT:
            assert "letter" not in kinds(dossier)


def test_a_clean_file_still_has_orders_about_which_the_former_schedule_disagrees() -> None:
    disagreeing = 0
    for seed in SEEDS:
        dossier, (_, before), _, _ = filed(seed, is_clean=True)
        disagreeing += any(
            before.mode(one.kind, one.age_days) == REDACT for one in dossier.held if one.kind in DATED
        )

    assert disagreeing > len(SEEDS) / 4


def test_a_file_that_is_not_clean_can_have_every_kind_of_object() -> None:
    seen = {kind for seed in SEEDS for kind in kinds(filed(seed)[0])}

    assert seen >= {"letter", "minutes", "message", "customer_portal", "customer_case", "goodwill", "comment"}


def test_a_remark_about_the_customer_is_in_the_ticket_of_somebody_else() -> None:
    remarks = 0
    for seed in SEEDS:
        dossier, _, files, customer = filed(seed)
        for held in (one for one in dossier.held if one.kind == "comment"):
            comment = files.company.row("ticketdesk", "comments", held.id)
            ticket = files.company.row("ticketdesk", "tickets", comment["ticket_id"])
            remarks += 1

            assert ticket["id"] not in dossier.modes
            assert customer.number not in ticket["description"]
            assert customer.number in comment["body"]
    assert remarks > 5


def test_open_cases_and_no_other_objects_are_open() -> None:
    opened = {one.kind for seed in SEEDS for one in filed(seed)[0].held if one.is_open}

    assert opened == {"customer_case"}


def test_a_namesake_has_a_file_of_the_same_kinds() -> None:
    for seed in range(12):
        ids, files, _ = namesakes(seed)
        prefixes = {one.partition("-")[0] for one in ids}

        assert prefixes - {"MSG"} == {"CUS", "ORD", "INV", "FRM", "DOC", "TD"}
        written = {
            row["id"]
            for service, tables in files.company.rows.items()
            for table, rows in tables.items()
            if (service, table) in {("datahub", "records"), ("ticketdesk", "tickets")}
            for row in rows
        }
        assert {one for one in ids if one.split("-")[0] not in ("DOC", "MSG")} == written
