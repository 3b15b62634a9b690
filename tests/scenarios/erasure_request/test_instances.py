"""Drawn erasure requests: the right outcome follows from visible rows, documents and one refresh."""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date
from functools import cache
from typing import Any

import pytest

from companyos.scenario import Instance
from companyos.sdk.draws import Draws
from companyos.sdk.simtime import to_iso
from scenarios.erasure_request import documents
from scenarios.erasure_request.scenario import SCENARIO
from scenarios.erasure_request.terms import DATED, draw_terms
from scenarios.erasure_request.words import FORMS

from ..conftest import instance_of

SEEDS = range(40)
PAIRS = range(0, 24, 2)
#: The tables in which each service keeps personal data, and the kinds of objects.
PLACES = (
    ("datahub", "records"),
    ("datahub", "documents"),
    ("datahub", "messages"),
    ("datahub", "entitlements"),
)
PLACES += (("ticketdesk", "tickets"), ("ticketdesk", "comments"), ("approvalflow", "requests"))


@cache
def made(seed: int) -> Instance:
    return instance_of(SCENARIO, seed)


def table(instance: Instance, service: str, name: str) -> dict[str, Mapping[str, Any]]:
    return {row["id"]: row for row in instance.rows[service][name]}


def bearing(instance: Instance, *identifiers: str) -> set[str]:
    """Return the ids of everything in the company that contains one of these, as whole words."""
    wanted = [f" {one} " for one in identifiers]

    def text(row: Mapping[str, Any]) -> str:
        seen = {key: value for key, value in row.items() if key not in ("id", "subject", "links", "about")}
        if "sender" in row:
            seen["subject"] = row["subject"]
        cut = "".join(one if one.isalnum() or one in "@-_." else " " for one in str(seen))
        return f" {cut.replace('. ', ' ')} "

    return {
        row["id"]
        for service, name in PLACES
        for row in instance.rows[service][name]
        if any(one in text(row) for one in wanted)
    }


def test_about_one_task_in_eight_cannot_be_done_and_one_in_eight_goes_back() -> None:
    causes = Counter(made(seed).cause for seed in range(64))

    assert 3 <= causes["held_all"] <= 13
    assert 3 <= causes["unproven"] <= 13


def test_every_ending_occurs() -> None:
    titles = set()
    for seed in SEEDS:
        instance = made(seed)
        if instance.cause not in ("held_all", "unproven"):
            titles.add(table(instance, "datahub", "documents")[instance.goal["template"]]["title"])

    assert titles == set(documents.ANSWERS.values())
    assert {made(seed).cause for seed in SEEDS} >= {
        "held_all",
        "unproven",
        "proven",
        "held_part",
        "lifted",
    }
    assert {made(seed).goal["special"] for seed in SEEDS} >= {0, 1, 2}


@pytest.mark.parametrize("seed", PAIRS)
def test_a_pair_differs_in_a_refresh_or_in_who_asks_and_in_nothing_else(seed: int) -> None:
    one, other = made(seed), made(seed + 1)
    differing = {
        name
        for service, tables in one.rows.items()
        for name, rows in tables.items()
        if rows != other.rows[service][name]
    }

    about_who_asks = "unproven" in (one.cause, other.cause)
    assert differing <= ({"messages", "documents"} if about_who_asks else {"sources"})
    assert len(differing) == 1


@pytest.mark.parametrize("seed", range(6))
def test_the_set_is_exactly_what_bears_number_address_or_order(seed: int) -> None:
    instance = made(seed)
    goal, records = instance.goal, table(instance, "datahub", "records")
    name, number, mail = goal["identifiers"]
    orders = [
        key
        for key, row in records.items()
        if row["kind"] == "order" and row["fields"]["customer_no"] == number
    ]

    found = bearing(instance, number, mail, *orders) | set(orders)

    stays = {goal["ticket"], goal["hold"], *goal["references"]}
    stays |= {
        key
        for key, row in table(instance, "datahub", "documents").items()
        if row["kind"] == "power_of_attorney"
    }
    assert found - stays == {*goal["erase"], *goal["redact"], *goal["covered"]}
    assert records[goal["customer"]]["name"] == name


@pytest.mark.parametrize("seed", range(6))
def test_the_name_alone_finds_a_namesake_and_misses_what_names_nobody(seed: int) -> None:
    instance = made(seed)
    goal = instance.goal

    found = bearing(instance, goal["identifiers"][0])

    assert set(goal["strangers"]) & found
    assert {*goal["erase"], *goal["redact"], *goal["covered"]} - found
    assert not set(goal["strangers"]) & {*goal["erase"], *goal["redact"], *goal["covered"]}


@pytest.mark.parametrize("seed", range(8))
def test_what_becomes_of_each_object_follows_from_the_schedule_in_force(seed: int) -> None:
    instance = made(seed)
    goal, records = instance.goal, table(instance, "datahub", "records")
    schedule = next(
        row["body"]
        for row in instance.rows["datahub"]["documents"]
        if (row["title"], row["status"]) == (documents.SCHEDULE, "in_force")
    )
    today = date.fromisoformat(to_iso(instance.start)[:10])

    for key in (*goal["erase"], *goal["redact"]):
        kind = records[key]["kind"] if key in records else None
        if kind in DATED:
            years = int(schedule.split(f"- `{kind}`: kept for ")[1].split()[0])
            born = date.fromisoformat(records[key]["fields"][DATED[kind]])
            is_over = born.replace(year=born.year + years, day=min(born.day, 28)) <= today
            assert (key in goal["erase"]) == is_over
        elif kind is not None:
            assert f"- `{kind}`: erased" in schedule
            assert key in goal["erase"]


def test_the_superseded_schedule_says_something_else_about_every_open_point() -> None:
    for seed in range(0, 40, 2):
        now, before = draw_terms(Draws("test", "terms", 1, seed))
        assert all(now.years[kind] != before.years[kind] for kind in DATED)
        assert all(now.modes[kind] != before.modes[kind] for kind in ("letter", "customer_case", "comment"))
        assert not now.special & before.special
        assert now.special | before.special <= set(FORMS)


@pytest.mark.parametrize("seed", range(8))
def test_the_ticket_proves_nothing_and_the_mail_names_the_customer(seed: int) -> None:
    instance = made(seed)
    goal = instance.goal
    mail = table(instance, "datahub", "messages")[goal["mail"]]
    customer = table(instance, "datahub", "records")[goal["customer"]]

    assert goal["number"] in mail["body"]
    assert table(instance, "ticketdesk", "tickets")[goal["ticket"]]["subject"] == goal["mail"]
    if instance.cause == "unproven":
        assert mail["sender"] != customer["fields"]["email"]
    if len(goal["references"]) == 1 and instance.cause != "unproven":
        assert mail["sender"] == customer["fields"]["email"]


def test_the_right_calls_differ_from_seed_to_seed() -> None:
    plans = {
        tuple(action["tool_name"] for action in SCENARIO.open_loop_plan(made(seed))) for seed in range(40)
    }

    assert len(plans) >= 20


@pytest.mark.parametrize("seed", range(8))
def test_a_mail_comes_before_the_ticket_about_it_and_after_the_power_of_attorney(seed: int) -> None:
    instance = made(seed)
    mails = table(instance, "datahub", "messages")
    requests = [row for row in instance.rows["ticketdesk"]["tickets"] if row["kind"] == "erasure_request"]
    mail = mails[instance.goal["mail"]]
    papers = [
        row
        for key, row in table(instance, "datahub", "documents").items()
        if row["kind"] == "power_of_attorney" and mail["sender"] in row["body"]
    ]

    assert len(requests) > 1
    assert all(mails[row["subject"]]["sent_at"] < row["created_at"] for row in requests)
    assert all(paper["written_at"] < mail["sent_at"] for paper in papers)


def test_no_invoice_is_older_than_its_order() -> None:
    written = [instance_of(SCENARIO, seed, size="small").rows["datahub"]["records"] for seed in range(200)]

    early = [
        invoice["id"]
        for rows in written
        for invoice in rows
        if invoice["kind"] == "invoice" and invoice["fields"]["issued_on"] < _ordered_on(rows, invoice)
    ]

    assert early == []


def _ordered_on(rows: Sequence[Mapping[str, Any]], invoice: Mapping[str, Any]) -> str:
    ordered = (row for row in rows if row["id"] == invoice["fields"]["order"])
    return str(next(ordered)["fields"]["ordered_on"])
